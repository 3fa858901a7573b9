#include "onnx/input_types.h"

#include "base/text.h"
#include "onnx/tensor_message.h"

#include <algorithm>

namespace tessera {
namespace {

using onnx::TensorShapeProto;
using onnx::TypeProto;
using onnx::ValueInfoProto;

/// Some writers give an unknown extent as -1.
bool is_known(const TensorShapeProto::Dimension& dim) {
  return dim.has_dim_value() && dim.dim_value() >= 0;
}

std::string text_of(const TensorShapeProto::Dimension& dim) {
  if (is_known(dim)) return std::to_string(dim.dim_value());
  return dim.dim_param().empty() ? "?" : dim.dim_param();
}

std::string text_of(const TensorShapeProto& shape) {
  std::vector<std::string> parts;
  for (const auto& dim : shape.dim()) parts.push_back(text_of(dim));
  return "[" + join(parts, ", ") + "]";
}

/// The option that fixes the shape, with a letter for what is to be chosen.
std::string option_text(const ValueInfoProto& message) {
  std::vector<std::string> parts;
  for (const auto& dim : message.type().tensor_type().shape().dim())
    parts.push_back(is_known(dim) ? std::to_string(dim.dim_value()) : "N");
  return "--shape " + message.name() + "=" + (parts.empty() ? "N,..." : join(parts, ","));
}

std::string_view kind_of(const TypeProto& type) {
  switch (type.value_case()) {
    case TypeProto::kTensorType:
      return "a tensor";
    case TypeProto::kSequenceType:
      return "a sequence";
    case TypeProto::kMapType:
      return "a map";
    case TypeProto::kOptionalType:
      return "an optional";
    case TypeProto::kSparseTensorType:
      return "a sparse tensor";
    default:
      return "of no known type";
  }
}

/// Learns the extents of named dimensions on the way.
class Inputs {
 public:
  explicit Inputs(const std::map<std::string, Shape>& shapes) : shapes_(shapes) {}

  Result<void> read_element(const ValueInfoProto& message) {
    if (message.type().value_case() != TypeProto::kTensorType)
      return refused(message, "is " + std::string(kind_of(message.type())) + ", expected a tensor");
    const Result<ElementType> element = read_element_type(message.type().tensor_type().elem_type());
    if (!element) return refused(message, element.error().message);
    out_.inputs.push_back({message.name(), {*element, {}}});
    return {};
  }

  /// Checks a shape that the user gives against what the model says.
  Result<void> take_given(const ValueInfoProto& message) {
    const auto given = shapes_.find(message.name());
    if (given == shapes_.end()) return {};
    const std::string option = "--shape " + message.name() + "=" + to_text(given->second);
    if (const Result<void> sound = verify(given->second); !sound)
      return Error{option + ": " + sound.error().message};
    const auto& type = message.type().tensor_type();
    if (!type.has_shape()) return {};
    const auto& dims = type.shape().dim();
    const auto contradicts = [&] {
      if (dims.size() != static_cast<int>(given->second.size())) return true;
      for (int n = 0; n < dims.size(); ++n)
        if (is_known(dims[n]) && dims[n].dim_value() != extent(given->second, n)) return true;
      return false;
    };
    if (contradicts()) return Error{option + ": the model says " + text_of(type.shape())};
    for (int n = 0; n < dims.size(); ++n) {
      const std::string& name = dims[n].dim_param();
      if (name.empty()) continue;
      const auto [known, is_new] = extents_.emplace(name, extent(given->second, n));
      if (!is_new && known->second != extent(given->second, n))
        return Error{option + ": dimension " + name + " is " + std::to_string(known->second) +
                     " elsewhere"};
    }
    return {};
  }

  Result<void> fill_shape(const ValueInfoProto& message, Shape& shape) {
    if (const auto given = shapes_.find(message.name()); given != shapes_.end()) {
      shape = given->second;
      return {};
    }
    const auto& type = message.type().tensor_type();
    if (!type.has_shape()) return refused(message, "has no shape; give " + option_text(message));
    for (const auto& dim : type.shape().dim()) {
      const auto known = extents_.find(dim.dim_param());
      if (is_known(dim)) {
        shape.push_back(dim.dim_value());
      } else if (known != extents_.end()) {
        shape.push_back(known->second);
      } else if (shape.empty()) {
        shape.push_back(1);
        if (!dim.dim_param().empty()) extents_.emplace(dim.dim_param(), 1);
        out_.notices.push_back("input \"" + message.name() + "\" " + text_of(type.shape()) +
                               ": the first dimension is taken as 1; " + option_text(message) +
                               " gives another");
      } else {
        return refused(message, "has shape " + text_of(type.shape()) + ", in which " +
                                    text_of(dim) + " is not known; give " + option_text(message));
      }
    }
    if (const Result<void> sound = verify_size(shape); !sound)
      return refused(message, sound.error().message);
    return {};
  }

  InputTypes& out() { return out_; }

 private:
  static std::int64_t extent(const Shape& shape, int n) {
    return shape[static_cast<std::size_t>(n)];
  }
  static Error refused(const ValueInfoProto& message, const std::string& why) {
    return {"input \"" + message.name() + "\" " + why};
  }

  const std::map<std::string, Shape>& shapes_;
  std::map<std::string, std::int64_t> extents_;  // of named dimensions
  InputTypes out_;
};

Result<void> verify_names(const std::vector<const ValueInfoProto*>& messages,
                          const std::map<std::string, Shape>& shapes) {
  std::vector<std::string> names;
  for (const ValueInfoProto* message : messages) names.push_back(message->name());
  for (const auto& [name, shape] : shapes)
    if (std::ranges::find(names, name) == names.end())
      return Error{"--shape " + name + ": no such input, expected one of " + join(names, ", ")};
  return {};
}

}  // namespace

Result<InputTypes> input_types(const std::vector<const ValueInfoProto*>& messages,
                               const std::map<std::string, Shape>& shapes) {
  if (const auto sound = verify_names(messages, shapes); !sound) return sound.error();
  Inputs inputs(shapes);
  for (const ValueInfoProto* message : messages) {
    if (const auto sound = inputs.read_element(*message); !sound) return sound.error();
    if (const auto sound = inputs.take_given(*message); !sound) return sound.error();
  }
  for (std::size_t n = 0; n < messages.size(); ++n)
    if (const auto sound = inputs.fill_shape(*messages[n], inputs.out().inputs[n].type.shape);
        !sound)
      return sound.error();
  return std::move(inputs.out());
}

}  // namespace tessera
