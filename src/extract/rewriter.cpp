#include "extract/rewriter.h"

#include "base/check.h"

#include <algorithm>

namespace tessera {

Rewriter::Rewriter(Graph& graph) : graph_(graph) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId& value : graph.nodes[n].outputs) maker_[value] = n;
    for (const ValueId& value : graph.nodes[n].inputs)
      if (!value.empty()) readers_[value].push_back(n);
  }
  outputs_.insert(graph.outputs.begin(), graph.outputs.end());
}

const Node* Rewriter::maker(const ValueId& value,
                            std::initializer_list<std::string_view> ops) const {
  const auto found = maker_.find(value);
  if (found == maker_.end()) return nullptr;
  const Node& node = graph_.nodes[found->second];
  const bool is_one =
      node.domain.empty() && std::find(ops.begin(), ops.end(), node.op) != ops.end();
  return is_one ? &node : nullptr;
}

std::vector<const Node*> Rewriter::readers(const ValueId& value) const {
  std::vector<const Node*> out;
  const auto found = readers_.find(value);
  if (found != readers_.end())
    for (const std::size_t n : found->second) out.push_back(&graph_.nodes[n]);
  return out;
}

bool Rewriter::has_one_reader(const ValueId& value) const {
  const auto found = readers_.find(value);
  return !outputs_.contains(value) && found != readers_.end() && found->second.size() == 1;
}

const Constant* Rewriter::constant(const ValueId& value) const {
  const auto found = graph_.constants.find(value);
  return found == graph_.constants.end() ? nullptr : &found->second;
}

std::optional<double> Rewriter::scalar(const ValueId& value) const {
  const Constant* known = constant(value);
  if (known == nullptr || known->data->element_count() != 1) return std::nullopt;
  return known->data->get(0);
}

ValueId Rewriter::add_constant(const ValueId& hint, ValueType type, HostBuffer data) {
  ValueId name = hint;
  while (graph_.types.contains(name)) name += "'";
  graph_.types[name] = type;
  graph_.constants[name] = {std::move(type), std::make_shared<HostBuffer>(std::move(data))};
  return name;
}

Node Rewriter::slice(const ValueId& from, const ValueId& to, std::int64_t axis, std::int64_t begin,
                     std::int64_t end) {
  const auto integer = [&](const char* suffix, std::int64_t value) {
    HostBuffer data(DType::I64, 1);
    data.set_integer(0, value);
    return add_constant(to + suffix, {ElementType::Int64, {1}}, std::move(data));
  };
  return {.name = to,
          .domain = "",
          .op = "Slice",
          .version = 13,
          .inputs = {from, integer("/start", begin), integer("/end", end), integer("/axis", axis)},
          .outputs = {to},
          .attributes = {}};
}

Node Rewriter::reshape(const ValueId& from, const ValueId& to, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  HostBuffer extents(DType::I64, rank);
  for (std::int64_t d = 0; d < rank; ++d)
    extents.set_integer(d, shape[static_cast<std::size_t>(d)]);
  const ValueId wanted =
      add_constant(to + "/shape", {ElementType::Int64, {rank}}, std::move(extents));
  graph_.types[to] = {graph_.types.at(from).element, shape};
  return {.name = to,
          .domain = "",
          .op = "Reshape",
          .version = 14,
          .inputs = {from, wanted},
          .outputs = {to},
          .attributes = {}};
}

void Rewriter::replace(Node node) {
  const auto found = maker_.find(node.outputs.front());
  check(found != maker_.end(), "a node in the place of another");
  graph_.nodes[found->second] = std::move(node);
  has_changed_ = true;
}

void Rewriter::finish() {
  if (has_changed_) drop_dead(graph_);
}

bool is_plain_gemm(const Node& node) {
  const auto is = [&](const char* name, double otherwise, double wanted) {
    const auto found = node.attributes.find(name);
    if (found == node.attributes.end()) return otherwise == wanted;
    const double* real = std::get_if<double>(&found->second);
    const std::int64_t* integer = std::get_if<std::int64_t>(&found->second);
    return real != nullptr ? *real == wanted
                           : integer != nullptr && static_cast<double>(*integer) == wanted;
  };
  return node.op == "Gemm" && is("alpha", 1, 1) && is("beta", 1, 1) && is("transA", 0, 0) &&
         is("transB", 0, 0);
}

}  // namespace tessera
