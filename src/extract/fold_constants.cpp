#include "extract/passes.h"
#include "ops/op.h"

#include <algorithm>

namespace tessera {
namespace {

bool is_constant(const Graph& graph, const Node& node) {
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const ValueId& value) {
    return value.empty() || graph.constants.contains(value);
  });
}

/// Few nodes can ask for much: constants take at most this more than what they are made of.
constexpr std::int64_t most_grown_bytes = std::int64_t{1} << 31;

/// How many bytes more than its inputs the outputs of a node take.
std::int64_t grown_bytes(const Graph& graph, const Node& node) {
  const auto sum = [&](const std::vector<ValueId>& values) {
    std::int64_t bytes = 0;
    for (const ValueId& value : values)
      if (!value.empty()) {
        const ValueType& type = graph.types.at(value);
        bytes += element_count(type.shape) * size_bytes(dtype_of(type.element));
      }
    return bytes;
  };
  return std::max<std::int64_t>(0, sum(node.outputs) - sum(node.inputs));
}

}  // namespace

Result<void> fold_constants(Graph& graph, const Evaluator& evaluate) {
  std::vector<Node> rest;
  std::int64_t grown = 0;
  for (const Node& node : graph.nodes) {
    if (!is_constant(graph, node)) {
      rest.push_back(node);
      continue;
    }
    grown += grown_bytes(graph, node);
    if (grown > most_grown_bytes)
      return Error{node.title() +
                   ": its value and those of constants before it take more than 2 GB"};
    const Result<ops::NodeComputation> defined = ops::define_node(ops::NodeView(graph, node));
    if (!defined) return Error{node.title() + ": " + defined.error().message};
    std::vector<HostBuffer> operands;
    for (const ValueId& value : defined->operands)
      operands.push_back(graph.constants.at(value).data->copy());
    Result<std::vector<HostBuffer>> values = evaluate(defined->computation, operands);
    if (!values) return Error{node.title() + ": " + values.error().message};
    for (std::size_t n = 0; n < values->size() && n < node.outputs.size(); ++n)
      if (!node.outputs[n].empty())
        graph.constants[node.outputs[n]] = {graph.types.at(node.outputs[n]),
                                            std::make_shared<HostBuffer>(std::move((*values)[n]))};
  }
  graph.nodes = std::move(rest);
  drop_dead(graph);
  return {};
}

}  // namespace tessera
