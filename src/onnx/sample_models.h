#pragma once

#include <cctype>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace tessera {

/// A model without anything but the version of ONNX's operators.
inline onnx::ModelProto empty_model(std::int64_t version = 13) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(version);
  model.mutable_graph()->set_name("test");
  return model;
}

/// Dimensions are numbers or names; an empty one is a dimension without either.
inline onnx::ValueInfoProto& add_input(onnx::ModelProto& model, const std::string& name,
                                       const std::vector<std::string>& dims,
                                       int element = onnx::TensorProto::FLOAT) {
  onnx::ValueInfoProto& input = *model.mutable_graph()->add_input();
  input.set_name(name);
  onnx::TypeProto::Tensor& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(element);
  type.mutable_shape();
  for (const std::string& text : dims) {
    onnx::TensorShapeProto::Dimension& dim = *type.mutable_shape()->add_dim();
    if (!text.empty() && std::isdigit(text[0]) != 0)
      dim.set_dim_value(std::stoll(text));
    else if (!text.empty())
      dim.set_dim_param(text);
  }
  return input;
}

inline void add_output(onnx::ModelProto& model, const std::string& name) {
  model.mutable_graph()->add_output()->set_name(name);
}

/// Adds to a graph or a function.
template <typename Owner>
onnx::NodeProto& add_node(Owner& owner, const std::string& op,
                          const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *owner.add_node();
  node.set_op_type(op);
  for (const std::string& value : inputs) node.add_input(value);
  for (const std::string& value : outputs) node.add_output(value);
  return node;
}

inline onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name,
                                           onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

inline onnx::TensorProto& add_weights(onnx::ModelProto& model, const std::string& name,
                                      const std::vector<std::int64_t>& dims,
                                      const std::vector<float>& values) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : dims) tensor.add_dims(extent);
  for (const float value : values) tensor.add_float_data(value);
  return tensor;
}

/// `y = Relu(x + w)` on x float[2, 3] and w float[3].
inline onnx::ModelProto small_model() {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {"2", "3"});
  add_weights(model, "w", {3}, {1, -2, 0.5F});
  add_node(*model.mutable_graph(), "Add", {"x", "w"}, {"sum"});
  add_node(*model.mutable_graph(), "Relu", {"sum"}, {"y"});
  add_output(model, "y");
  return model;
}

/// A model that only its input makes interesting.
inline onnx::ModelProto model_of_input(const std::vector<std::string>& dims) {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", dims);
  add_node(*model.mutable_graph(), "Relu", {"x"}, {"y"});
  add_output(model, "y");
  return model;
}

}  // namespace tessera
