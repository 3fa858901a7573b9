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

/// Refuses what would fill memory: much made of little.
Result<void> verify_size(const Graph& graph, const Node& node) {
  constexpr std::int64_t most = std::int64_t{1} << 27;
  std::int64_t given = 0;
  for (const ValueId& value : node.inputs)
    if (!value.empty()) given += element_count(graph.types.at(value).shape);
  for (const ValueId& value : node.outputs)
    if (!value.empty() && element_count(graph.types.at(value).shape) > std::max(most, given))
      return Error{node.title() + ": a constant " + to_text(graph.types.at(value)) +
                   ", expected at most 2^27 elements or as many as it is made of"};
  return {};
}

}  // namespace

Result<void> fold_constants(Graph& graph, const Evaluator& evaluate) {
  std::vector<Node> rest;
  for (const Node& node : graph.nodes) {
    if (!is_constant(graph, node)) {
      rest.push_back(node);
      continue;
    }
    if (const Result<void> sound = verify_size(graph, node); !sound) return sound.error();
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
