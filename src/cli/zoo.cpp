#include "zoo/zoo.h"

#include "base/text.h"
#include "cli/verbs.h"
#include "onnx/export.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace tessera {
namespace {

struct ListOptions {
  bool is_json = false;
};

struct ExportFileOptions {
  std::string name;
  std::string path;
};

/// `input_ids int64[1, 128]`.
std::string text_of(const GraphInput& input) {
  return input.name + " " + std::string(to_text(input.type.element)) + to_text(input.type.shape);
}

/// The first input, and how many more there are.
std::string inputs_shown(const ZooEntry& entry) {
  const std::string first = text_of(entry.inputs[0]);
  const std::size_t more = entry.inputs.size() - 1;
  return more == 0 ? first : fmt::format("{} and {} more", first, more);
}

void print_table() {
  constexpr std::string_view row = "{:<19} {:<42} {:>10}  {}\n";
  fmt::print(fmt::runtime(row), "name", "inputs", "parameters", "description");
  for (const ZooEntry& entry : zoo())
    fmt::print(fmt::runtime(row), entry.name, inputs_shown(entry),
               fmt::format("{:.2f} M", 1e-6 * static_cast<double>(entry.parameter_count)),
               entry.description);
}

nlohmann::ordered_json json_of(const GraphInput& input) {
  return {{"name", input.name}, {"type", to_text(input.type.element)}, {"shape", input.type.shape}};
}

nlohmann::ordered_json document() {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const ZooEntry& entry : zoo()) {
    nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
    for (const GraphInput& input : entry.inputs) inputs.push_back(json_of(input));
    entries.push_back({{"name", entry.name},
                       {"family", entry.family},
                       {"inputs", inputs},
                       {"parameters", entry.parameter_count},
                       {"description", entry.description}});
  }
  return entries;
}

int run_list(const ListOptions& options) {
  options.is_json ? print_json(document()) : print_table();
  return ExitCode::success;
}

int run_export(const ExportFileOptions& options) {
  const Result<Graph> graph = zoo_graph(options.name);
  if (!graph) return refuse(graph.error());
  const Result<void> written = export_onnx_file(*graph, options.path);
  return written ? ExitCode::success : refuse(written.error());
}

void add_list(CLI::App& zoo_verb) {
  CLI::App& verb = *zoo_verb.add_subcommand("list", "Show all networks");
  const auto options = std::make_shared<ListOptions>();
  verb.add_flag("--json", options->is_json, "Print JSON");
  verb.footer("Example: tessera zoo list --json");
  on_run(verb, [options] { return run_list(*options); });
}

void add_export(CLI::App& zoo_verb) {
  CLI::App& verb = *zoo_verb.add_subcommand("export", "Write a network as an ONNX file");
  const auto options = std::make_shared<ExportFileOptions>();
  verb.add_option("NAME", options->name, "A name of tessera zoo list")->required()->type_name("");
  verb.add_option("-o", options->path, "The file to write")->required()->type_name("FILE");
  verb.footer("Example: tessera zoo export resnet50 -o resnet50.onnx");
  on_run(verb, [options] { return run_export(*options); });
}

}  // namespace

void add_zoo(CLI::App& program) {
  CLI::App& verb = *program.add_subcommand("zoo", "Published networks, with seeded weights");
  verb.require_subcommand(0, 1);
  add_list(verb);
  add_export(verb);
  verb.footer("Example: tessera zoo list\n         tessera zoo export resnet50 -o resnet50.onnx");
  on_run(verb, [&verb] {
    if (!verb.get_subcommands().empty()) return ExitCode::success;
    return refuse({"zoo: no verb given, expected list or export"});
  });
}

}  // namespace tessera
