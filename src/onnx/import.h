#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct ImportOptions {
  /// Shapes of inputs by name, for dimensions that the model leaves open.
  std::map<std::string, Shape> shapes = {};
  /// Where files with external data lie; when empty, a model that has such data is refused.
  std::filesystem::path folder = {};
};

struct Imported {
  Graph graph;
  std::vector<std::string> notices;  // what was assumed
};

/// The network of a serialised ONNX model. Initialisers are constants, calls of the model's own
/// functions are replaced by their nodes, and every node knows the version of its operator set. An
/// unknown leading dimension of an input is taken as 1, with a notice; other unknown ones are
/// refused. Inputs of graphs in attributes are untyped.
Result<Imported> import_onnx(std::string_view bytes, const ImportOptions& options = {});

/// The same for a file. External data lie beside it unless a folder is given.
Result<Imported> import_onnx_file(const std::filesystem::path& path, ImportOptions options = {});

}  // namespace tessera
