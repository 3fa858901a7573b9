#include "onnx/tensor_message.h"

#include "base/text.h"
#include "onnx/external_data.h"

#include <algorithm>
#include <span>

namespace tessera {
namespace {

using onnx::TensorProto;

std::string element_name(std::int64_t number) {
  switch (number) {
    case TensorProto::UNDEFINED:
      return "undefined";
    case TensorProto::STRING:
      return "string";
    case TensorProto::COMPLEX64:
      return "complex64";
    case TensorProto::COMPLEX128:
      return "complex128";
    default:
      return "number " + std::to_string(number);
  }
}

/// The low `size` bytes of each value.
template <typename Values>
std::string low_bytes(const Values& values, std::size_t size) {
  std::string bytes;
  for (const auto& value : values) bytes.append(reinterpret_cast<const char*>(&value), size);
  return bytes;
}

/// What the message holds in fields of numbers, as it would be in memory.
std::string typed_bytes(const TensorProto& message, ElementType type) {
  const auto size = static_cast<std::size_t>(size_bytes(type));
  switch (type) {
    case ElementType::Float:
      return low_bytes(message.float_data(), size);
    case ElementType::Double:
      return low_bytes(message.double_data(), size);
    case ElementType::Int64:
      return low_bytes(message.int64_data(), size);
    case ElementType::UInt32:
    case ElementType::UInt64:
      return low_bytes(message.uint64_data(), size);
    default:
      return low_bytes(message.int32_data(), size);
  }
}

}  // namespace

Result<ElementType> read_element_type(std::int64_t number) {
  if (const std::optional<ElementType> known = element_type_of(number)) return *known;
  return Error{"elements of type " + element_name(number) + " are not supported"};
}

Result<void> verify_size(Shape shape) {
  std::ranges::replace(shape, 0, 1);
  return verify(shape);
}

Result<Constant> read_tensor(const TensorProto& message, const std::filesystem::path& folder) {
  const Result<ElementType> type = read_element_type(message.data_type());
  if (!type) return type.error();
  const Shape shape(message.dims().begin(), message.dims().end());
  if (const Result<void> sound = verify_size(shape); !sound) return sound.error();
  const std::int64_t count = element_count(shape);
  const std::int64_t size = count * size_bytes(*type);
  std::string outside;
  std::string_view bytes = message.raw_data();
  if (message.data_location() == TensorProto::EXTERNAL) {
    Result<std::string> read = read_external_data(message, folder, size);
    if (!read) return read.error();
    outside = *std::move(read);
    bytes = outside;
  } else if (!message.has_raw_data()) {
    outside = typed_bytes(message, *type);
    bytes = outside;
  }
  if (bytes.size() != static_cast<std::size_t>(size))
    return Error{"holds " + std::to_string(bytes.size()) + " bytes, expected " +
                 std::to_string(size) + " for " + std::string(to_text(*type)) + to_text(shape)};
  return Constant{{*type, shape},
                  std::make_shared<HostBuffer>(
                      decode(*type, count, std::as_bytes(std::span(bytes.data(), bytes.size()))))};
}

std::string raw_bytes(const Constant& constant) {
  const std::int64_t size = constant.data->element_count() * size_bytes(constant.type.element);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  encode(*constant.data, constant.type.element,
         std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
  return bytes;
}

TensorProto tensor_message(const std::string& name, const ValueType& type) {
  TensorProto message;
  message.set_name(name);
  message.set_data_type(static_cast<int>(type.element));
  for (const std::int64_t extent : type.shape) message.add_dims(extent);
  return message;
}

TensorProto tensor_message(const std::string& name, const Constant& constant) {
  TensorProto message = tensor_message(name, constant.type);
  message.set_raw_data(raw_bytes(constant));
  return message;
}

}  // namespace tessera
