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
    const ops::Op* op = ops::find_op(node.domain, node.op);
    ComputationBuilder builder;
    std::vector<TensorId> tensors;
    std::vector<HostBuffer> operands;
    for (const ValueId& value : node.inputs) {
      tensors.emplace_back();
      if (value.empty()) continue;
      const Constant& constant = graph.constants.at(value);
      tensors.back() = builder.input("x", constant.type.shape, dtype_of(constant.type.element));
      operands.push_back(constant.data->copy());
    }
    ops::Definition definition(ops::NodeView(graph, node), builder, std::move(tensors));
    std::get<ops::Define>(op->meaning)(definition);
    for (const ops::Definition::Output& output : definition.outputs())
      builder.output(output.tensor);
    const Result<Computation> computation = builder.finish("constant");
    if (!computation) return Error{node.title() + ": " + computation.error().message};
    Result<std::vector<HostBuffer>> values = evaluate(*computation, operands);
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
