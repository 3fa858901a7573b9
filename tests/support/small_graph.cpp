#include "support/small_graph.h"

#include "ir/interpret.h"
#include "ops/infer.h"
#include "ops/op.h"
#include "tensor/compare.h"

#include <stdexcept>

namespace tessera {

SmallGraph& SmallGraph::input(const ValueId& name, Shape shape) {
  graph_.inputs.push_back({name, {ElementType::Float, std::move(shape)}});
  return *this;
}

SmallGraph& SmallGraph::weights(const ValueId& name, Shape shape) {
  Rng rng(graph_.constants.size() + 1);
  auto data = std::make_shared<HostBuffer>(DType::F32, element_count(shape));
  fill_random(*data, rng);
  for (float& value : data->as<float>()) value = value / 2 + 1;
  graph_.constants[name] = {{ElementType::Float, std::move(shape)}, std::move(data)};
  return *this;
}

SmallGraph& SmallGraph::scalar(const ValueId& name, double value) {
  auto data = std::make_shared<HostBuffer>(DType::F32, 1);
  data->set(0, value);
  graph_.constants[name] = {{ElementType::Float, {}}, std::move(data)};
  return *this;
}

SmallGraph& SmallGraph::index(const ValueId& name, std::int64_t value) {
  integers(name, {value});
  graph_.constants.at(name).type.shape = {};
  return *this;
}

SmallGraph& SmallGraph::integers(const ValueId& name, const std::vector<std::int64_t>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  auto data = std::make_shared<HostBuffer>(DType::I64, count);
  for (std::int64_t n = 0; n < count; ++n)
    data->set_integer(n, values[static_cast<std::size_t>(n)]);
  graph_.constants[name] = {{ElementType::Int64, {count}}, std::move(data)};
  return *this;
}

SmallGraph& SmallGraph::node(const std::string& op, std::vector<ValueId> inputs,
                             const ValueId& output, std::map<std::string, Attribute> attributes) {
  return nodes(op, std::move(inputs), {output}, std::move(attributes));
}

SmallGraph& SmallGraph::nodes(const std::string& op, std::vector<ValueId> inputs,
                              std::vector<ValueId> outputs,
                              std::map<std::string, Attribute> attributes) {
  graph_.nodes.push_back({.name = outputs.front(),
                          .domain = "",
                          .op = op,
                          .version = 17,
                          .inputs = std::move(inputs),
                          .outputs = std::move(outputs),
                          .attributes = std::move(attributes)});
  return *this;
}

SmallGraph& SmallGraph::output(const ValueId& name) {
  graph_.outputs.push_back(name);
  return *this;
}

Graph SmallGraph::inferred() const {
  Inferred out = infer(graph_);
  if (!out.problems.empty()) throw std::runtime_error(to_text(out.problems.front()));
  return std::move(out.graph);
}

std::vector<HostBuffer> evaluated(const Graph& graph) {
  std::map<ValueId, HostBuffer> values;
  for (const auto& [name, constant] : graph.constants) values[name] = constant.data->copy();
  Rng rng(5);
  for (const GraphInput& input : graph.inputs) {
    HostBuffer buffer(dtype_of(input.type.element), element_count(input.type.shape));
    fill_random(buffer, rng);
    values[input.name] = std::move(buffer);
  }
  for (const Node& node : graph.nodes) {
    const Result<ops::NodeComputation> defined = ops::define_node(ops::NodeView(graph, node));
    if (!defined) throw std::runtime_error(node.title() + ": " + defined.error().message);
    std::vector<HostBuffer> operands;
    for (const ValueId& value : defined->operands) operands.push_back(values.at(value).copy());
    std::vector<HostBuffer> results = *evaluate(defined->computation, operands);
    for (std::size_t n = 0; n < node.outputs.size() && n < results.size(); ++n)
      values[node.outputs[n]] = std::move(results[n]);
  }
  std::vector<HostBuffer> outputs;
  for (const ValueId& output : graph.outputs) outputs.push_back(values.at(output).copy());
  return outputs;
}

std::string difference(const Graph& a, const Graph& b) {
  const std::vector<HostBuffer> got = evaluated(a), want = evaluated(b);
  if (got.size() != want.size()) return "other outputs";
  for (std::size_t n = 0; n < got.size(); ++n)
    if (const Comparison found = compare(got[n], want[n], {.absolute = 1e-4, .relative = 1e-4});
        !found.equal)
      return found.message;
  return {};
}

}  // namespace tessera
