#include "conformance/run.h"
#include "ir/interpret.h"
#include "ops/op.h"

#include <map>

namespace tessera::conformance {
namespace {

using Values = std::map<ValueId, Constant>;

/// Adds what the node gives.
Result<void> run_node(const Graph& graph, const Node& node, Values& values) {
  const Result<ops::NodeComputation> defined = ops::define_node(ops::NodeView(graph, node));
  if (!defined) return defined.error();
  std::vector<HostBuffer> operands;
  for (const ValueId& value : defined->operands) operands.push_back(values.at(value).data->copy());
  Result<std::vector<HostBuffer>> results = evaluate(defined->computation, operands);
  if (!results) return results.error();
  for (std::size_t n = 0; n < node.outputs.size() && n < results->size(); ++n)
    values.insert_or_assign(
        node.outputs[n],
        Constant{defined->outputs[n], std::make_shared<HostBuffer>(std::move((*results)[n]))});
  return {};
}

}  // namespace

Result<std::vector<Constant>> run_interpreted(const Graph& graph,
                                              const std::vector<Constant>& inputs) {
  Values values = graph.constants;
  for (std::size_t n = 0; n < graph.inputs.size(); ++n)
    values.insert_or_assign(graph.inputs[n].name, inputs[n]);
  for (const Node& node : graph.nodes)
    if (const auto done = run_node(graph, node, values); !done)
      return Error{node.title() + ": " + done.error().message};
  std::vector<Constant> outputs;
  for (const ValueId& output : graph.outputs) outputs.push_back(values.at(output));
  return outputs;
}

}  // namespace tessera::conformance
