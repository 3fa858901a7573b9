#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <onnx/onnx_pb.h>
#include <string>

namespace tessera {

/// The `size_bytes` bytes of a tensor that lie in a file of their own. The file must lie inside
/// `folder`, links followed.
Result<std::string> read_external_data(const onnx::TensorProto& message,
                                       const std::filesystem::path& folder,
                                       std::int64_t size_bytes);

}  // namespace tessera
