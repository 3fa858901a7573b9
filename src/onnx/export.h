#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera {

/// The bytes of an ONNX model with the graph's nodes as they are, for the newest version of ONNX's
/// operators among them. The constants must take less than 2 GB.
std::string export_onnx(const Graph& graph);

struct ExportOptions {
  /// Constants that take more in all go to a file of their own, as a message holds less than 2 GB.
  std::int64_t most_bytes_inside = std::int64_t{1} << 30;
};

/// Writes the model and, where needed, its constants beside it as `NAME.data`. Refuses with
/// `PATH: reason`.
Result<void> export_onnx_file(const Graph& graph, const std::filesystem::path& path,
                              const ExportOptions& options = {});

}  // namespace tessera
