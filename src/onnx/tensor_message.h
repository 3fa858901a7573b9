#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <filesystem>
#include <onnx/onnx_pb.h>
#include <string>

namespace tessera {

/// The element type of that number; refuses those that are not supported by name.
Result<ElementType> read_element_type(std::int64_t number);

/// As `verify`, but the tensor may be empty.
Result<void> verify_size(Shape shape);

/// The contents of a tensor, which may lie in a file inside `folder`. Nothing is allocated before
/// the data are known to have the size that the shape asks for.
Result<Constant> read_tensor(const onnx::TensorProto& message, const std::filesystem::path& folder);

/// Type, shape and contents, the latter as raw bytes.
onnx::TensorProto tensor_message(const std::string& name, const Constant& constant);
/// Type and shape alone.
onnx::TensorProto tensor_message(const std::string& name, const ValueType& type);

/// The contents as they are in a file: little-endian, in the constant's element type.
std::string raw_bytes(const Constant& constant);

}  // namespace tessera
