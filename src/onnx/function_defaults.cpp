#include "onnx/function_defaults.h"

#include <google/protobuf/unknown_field_set.h>

namespace tessera {
namespace {

/// `repeated AttributeProto attribute_proto = 11`, which schemas before ONNX 1.13 do not have.
constexpr int field_number = 11;

}  // namespace

Result<std::map<std::string, Attribute>> function_defaults(const onnx::FunctionProto& function,
                                                           const ReadTensor& read_tensor) {
  const ReadGraph read_graph = [](const onnx::GraphProto&) -> Result<Graph> {
    return Error{"holds a graph, which is not supported as a default"};
  };
  std::map<std::string, Attribute> defaults;
  const google::protobuf::UnknownFieldSet& fields = function.unknown_fields();
  for (int n = 0; n < fields.field_count(); ++n) {
    const google::protobuf::UnknownField& field = fields.field(n);
    if (field.number() != field_number ||
        field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      continue;
    onnx::AttributeProto message;
    if (!message.ParseFromString(field.length_delimited()))
      return Error{"an attribute with a default is damaged"};
    Result<Attribute> attribute = read_attribute(message, read_tensor, read_graph);
    if (!attribute)
      return Error{"attribute \"" + message.name() + "\" " + attribute.error().message};
    defaults.emplace(message.name(), *std::move(attribute));
  }
  return defaults;
}

}  // namespace tessera
