#pragma once

#include "base/result.h"
#include "graph/graph.h"
#include "runtime/package.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tessera {

/// What every verb that takes a network takes.
struct ModelArgument {
  std::string model;                     // `zoo:NAME`, an ONNX file or a package
  std::vector<std::string> shapes = {};  // `NAME=1,3,224,224`

  bool is_package() const { return model.ends_with(".tessera"); }
};

void add_shape_option(CLI::App& verb, std::vector<std::string>& shapes);
void add_model_argument(CLI::App& verb, ModelArgument& argument, const std::string& what);

/// The manifest of a package. Refuses shapes, as those of a package are fixed.
Result<Manifest> read_package(const ModelArgument& argument);

/// The network; notices of the import go to stderr.
Result<Graph> read_model(const ModelArgument& argument);

/// A package as it is, or a network compiled for this machine and so many threads.
Result<std::shared_ptr<const Package>> open_or_compile(const ModelArgument& argument,
                                                       std::int64_t threads);

}  // namespace tessera
