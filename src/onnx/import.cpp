#include "onnx/import.h"

#include "onnx/graph_reader.h"
#include "onnx/input_types.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <onnx/onnx_pb.h>

namespace tessera {
namespace {

using onnx::ModelProto;

/// The inputs that are no constants: files may list initialisers among them.
std::vector<const onnx::ValueInfoProto*> open_inputs(const ModelProto& model, const Graph& graph) {
  std::vector<const onnx::ValueInfoProto*> open;
  for (const onnx::ValueInfoProto& input : model.graph().input())
    if (!graph.constants.contains(input.name())) open.push_back(&input);
  return open;
}

Result<Imported> import_model(const ModelProto& model, const ImportOptions& options) {
  if (!model.has_graph()) return Error{"not an ONNX model: it has no graph"};
  GraphReader reader(model, options.folder);
  Result<Graph> graph = reader.read();
  if (!graph) return graph.error();
  if (graph->outputs.empty()) return Error{"the graph has no outputs"};
  Result<InputTypes> types = input_types(open_inputs(model, *graph), options.shapes);
  if (!types) return types.error();
  graph->inputs = std::move(types->inputs);
  if (const auto sorted = sort_nodes(*graph); !sorted) return sorted.error();
  if (const auto sound = verify(*graph); !sound) return sound.error();
  for (const GraphInput& input : graph->inputs) graph->types[input.name] = input.type;
  for (const auto& [name, constant] : graph->constants) graph->types[name] = constant.type;
  return Imported{*std::move(graph), std::move(types->notices)};
}

Error unreadable() {
  return {"not an ONNX model: damaged, cut off, nested too deeply or larger than 2 GB"};
}

}  // namespace

Result<Imported> import_onnx(std::string_view bytes, const ImportOptions& options) {
  ModelProto model;
  if (bytes.size() > std::numeric_limits<int>::max() ||
      !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return unreadable();
  return import_model(model, options);
}

Result<Imported> import_onnx_file(const std::filesystem::path& path, ImportOptions options) {
  const auto refused = [&](const std::string& why) { return Error{path.string() + ": " + why}; };
  std::ifstream file(path, std::ios::binary);
  if (!file) return refused(std::strerror(errno));
  ModelProto model;
  if (!model.ParseFromIstream(&file)) return refused(unreadable().message);
  if (options.folder.empty())
    options.folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  Result<Imported> imported = import_model(model, options);
  if (!imported) return refused(imported.error().message);
  return imported;
}

}  // namespace tessera
