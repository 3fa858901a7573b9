#include "onnx/tensor_file.h"

#include "base/file.h"
#include "onnx/tensor_message.h"

namespace tessera {

Result<Constant> read_tensor_file(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_file(path.string());
  if (!bytes) return bytes.error();
  onnx::TensorProto message;
  if (!message.ParseFromString(*bytes)) return Error{path.string() + ": not a tensor message"};
  Result<Constant> tensor = read_tensor(message, path.parent_path());
  if (!tensor) return Error{path.string() + ": " + tensor.error().message};
  return tensor;
}

Result<void> write_tensor_file(const std::filesystem::path& path, const std::string& name,
                               const Constant& constant) {
  return write_file(path.string(), tensor_message(name, constant).SerializeAsString());
}

}  // namespace tessera
