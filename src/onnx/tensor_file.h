#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <filesystem>
#include <string>

namespace tessera {

/// A serialised tensor message (`.pb`), as in ONNX test sets. Refuses with `PATH: reason`.
Result<Constant> read_tensor_file(const std::filesystem::path& path);
Result<void> write_tensor_file(const std::filesystem::path& path, const std::string& name,
                               const Constant& constant);

}  // namespace tessera
