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

}  // namespace

Result<void> fold_constants(Graph& graph, const Evaluator& evaluate) {
  std::vector<Node> rest;
  for (const Node& node : graph.nodes) {
    if (!is_constant(graph, node)) {
      rest.push_back(node);
      continue;
    }
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
