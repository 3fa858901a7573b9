#pragma once

#include "base/rng.h"
#include "ops/op.h"

#include <array>
#include <limits>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

/// Changes of models that leave them readable, each at a random place.
namespace tessera::fuzz {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx::NodeProto;
using onnx::TensorProto;

inline std::int64_t any_integer(Rng& rng) {
  constexpr std::array<std::int64_t, 18> interesting = {0,
                                                        1,
                                                        2,
                                                        3,
                                                        4,
                                                        5,
                                                        7,
                                                        8,
                                                        16,
                                                        255,
                                                        1 << 16,
                                                        -1,
                                                        -2,
                                                        std::int64_t{1} << 31,
                                                        std::int64_t{1} << 40,
                                                        std::int64_t{1} << 60,
                                                        std::numeric_limits<std::int64_t>::min(),
                                                        std::numeric_limits<std::int64_t>::max()};
  // Mostly small: extents that agree reach further.
  return interesting[static_cast<std::size_t>(rng.below(rng.chance(0.8) ? 8 : 18))];
}

template <typename Items>
auto* pick(Items& items, Rng& rng) {
  return items.empty() ? nullptr : &items[static_cast<int>(rng.below(items.size()))];
}

template <typename Items>
void drop_one(Items& items, Rng& rng) {
  if (!items.empty()) items.erase(items.begin() + static_cast<int>(rng.below(items.size())));
}

template <typename Items>
void double_one(Items& items, Rng& rng) {
  if (const auto* item = pick(items, rng)) {
    const auto copy = *item;
    *items.Add() = copy;
  }
}

/// The model's graph, one inside of it or the nodes of a function, as far as there are.
inline GraphProto& any_graph(ModelProto& model, Rng& rng) {
  GraphProto* graph = model.mutable_graph();
  while (rng.chance(0.5)) {
    NodeProto* node = pick(*graph->mutable_node(), rng);
    AttributeProto* attribute = node == nullptr ? nullptr : pick(*node->mutable_attribute(), rng);
    if (attribute == nullptr || !attribute->has_g()) break;
    graph = attribute->mutable_g();
  }
  return *graph;
}

inline auto& any_nodes(ModelProto& model, Rng& rng) {
  if (model.functions_size() > 0 && rng.chance(0.3))
    return *pick(*model.mutable_functions(), rng)->mutable_node();
  return *any_graph(model, rng).mutable_node();
}

inline std::string any_value(ModelProto& model, Rng& rng) {
  const GraphProto& graph = any_graph(model, rng);
  std::vector<std::string> names = {"", "new"};
  for (const auto& input : graph.input()) names.push_back(input.name());
  for (const auto& tensor : graph.initializer()) names.push_back(tensor.name());
  for (const auto& node : graph.node())
    names.insert(names.end(), node.output().begin(), node.output().end());
  return rng.pick(std::span<const std::string>(names));
}

inline void change_order(ModelProto& model, Rng& rng) {
  auto& nodes = any_nodes(model, rng);
  if (nodes.size() < 2) return;
  nodes.SwapElements(static_cast<int>(rng.below(nodes.size())),
                     static_cast<int>(rng.below(nodes.size())));
}

inline void change_nodes(ModelProto& model, Rng& rng) {
  auto& nodes = any_nodes(model, rng);
  rng.chance(0.5) ? drop_one(nodes, rng) : double_one(nodes, rng);
}

inline void change_operator(ModelProto& model, Rng& rng) {
  NodeProto* node = pick(any_nodes(model, rng), rng);
  if (node == nullptr) return;
  const auto families = ops::op_families();
  const auto& family = rng.pick(std::span<const std::span<const ops::Op>>(families));
  const ops::Op& op = rng.pick(family);
  node->set_domain(std::string(op.domain));
  node->set_op_type(std::string(op.name));
}

inline void change_edges(ModelProto& model, Rng& rng) {
  NodeProto* node = pick(any_nodes(model, rng), rng);
  if (node == nullptr) return;
  const std::string value = any_value(model, rng);
  auto& edges = rng.chance(0.7) ? *node->mutable_input() : *node->mutable_output();
  std::string* edge = pick(edges, rng);
  if (edge == nullptr || rng.chance(0.2))
    *edges.Add() = value;
  else if (rng.chance(0.2))
    drop_one(edges, rng);
  else
    *edge = value;
}

inline void change_attribute(ModelProto& model, Rng& rng) {
  NodeProto* node = pick(any_nodes(model, rng), rng);
  AttributeProto* attribute = node == nullptr ? nullptr : pick(*node->mutable_attribute(), rng);
  if (attribute == nullptr) return;
  switch (rng.below(8)) {
    case 0:
      return drop_one(*node->mutable_attribute(), rng);
    case 1:
      return attribute->set_type(static_cast<AttributeProto::AttributeType>(rng.below(15)));
    case 2:
      return attribute->set_i(any_integer(rng));
    case 3:
      return attribute->set_f(static_cast<float>(any_integer(rng)) / 2);
    case 4:
      return attribute->add_ints(any_integer(rng));
    case 5:
      return drop_one(*attribute->mutable_ints(), rng);
    case 6:
      return attribute->mutable_ints()->empty() ? attribute->set_s("")
                                                : attribute->set_ints(0, any_integer(rng));
    default:
      if (attribute->floats_size() > 0)
        attribute->set_floats(0, static_cast<float>(any_integer(rng)));
  }
}

inline void change_input(ModelProto& model, Rng& rng) {
  onnx::ValueInfoProto* input = pick(*model.mutable_graph()->mutable_input(), rng);
  if (input == nullptr) return;
  onnx::TypeProto::Tensor& type = *input->mutable_type()->mutable_tensor_type();
  auto& dims = *type.mutable_shape()->mutable_dim();
  switch (rng.below(4)) {
    case 0:
      return type.set_elem_type(static_cast<int>(rng.below(20)));
    case 1:
      return drop_one(dims, rng);
    case 2:
      return dims.Add()->set_dim_value(any_integer(rng));
    default:
      if (auto* dim = pick(dims, rng)) dim->set_dim_value(any_integer(rng));
  }
}

/// A tensor of the graph or of an attribute.
inline TensorProto* any_tensor(ModelProto& model, Rng& rng) {
  if (rng.chance(0.7)) return pick(*any_graph(model, rng).mutable_initializer(), rng);
  NodeProto* node = pick(any_nodes(model, rng), rng);
  AttributeProto* attribute = node == nullptr ? nullptr : pick(*node->mutable_attribute(), rng);
  return attribute == nullptr || !attribute->has_t() ? nullptr : attribute->mutable_t();
}

inline void change_tensor(ModelProto& model, Rng& rng) {
  TensorProto* tensor = any_tensor(model, rng);
  if (tensor == nullptr) return;
  switch (rng.below(7)) {
    case 0:
      return tensor->set_data_type(static_cast<int>(rng.below(20)));
    case 1:
      return tensor->add_dims(any_integer(rng));
    case 2:
      return drop_one(*tensor->mutable_dims(), rng);
    case 3:
      return tensor->mutable_dims()->empty() ? void() : tensor->set_dims(0, any_integer(rng));
    case 4:
      return tensor->mutable_int64_data()->empty() ? void()
                                                   : tensor->set_int64_data(0, any_integer(rng));
    case 5:
      if (!tensor->raw_data().empty())
        tensor->mutable_raw_data()->at(static_cast<std::size_t>(
            rng.below(static_cast<std::int64_t>(tensor->raw_data().size())))) =
            static_cast<char>(any_integer(rng));
      return;
    default:
      return tensor->set_data_location(rng.chance(0.5) ? TensorProto::EXTERNAL
                                                       : TensorProto::DEFAULT);
  }
}

/// A known value becomes an input, of which only the type is known.
inline void open_constant(ModelProto& model, Rng& rng) {
  GraphProto& graph = *model.mutable_graph();
  if (graph.initializer_size() == 0) return;
  const auto n = static_cast<int>(rng.below(graph.initializer_size()));
  const TensorProto& tensor = graph.initializer(n);
  onnx::ValueInfoProto& input = *graph.add_input();
  input.set_name(tensor.name());
  onnx::TypeProto::Tensor& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(tensor.data_type());
  for (const std::int64_t extent : tensor.dims())
    type.mutable_shape()->add_dim()->set_dim_value(extent);
  graph.mutable_initializer()->DeleteSubrange(n, 1);
}

inline void change_version(ModelProto& model, Rng& rng) {
  if (auto* import = pick(*model.mutable_opset_import(), rng))
    import->set_version(rng.between(1, 24));
}

inline void change(ModelProto& model, Rng& rng) {
  constexpr std::array changes = {change_order,  change_nodes,  change_operator,  change_operator,
                                  change_edges,  change_edges,  change_attribute, change_attribute,
                                  change_input,  change_input,  change_tensor,    change_tensor,
                                  open_constant, change_version};
  for (std::int64_t left = rng.between(1, 3); left > 0; --left)
    changes[static_cast<std::size_t>(rng.below(changes.size()))](model, rng);
}

}  // namespace tessera::fuzz
