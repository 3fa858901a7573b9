#include "extract/passes.h"
#include "extract/rewriter.h"

namespace tessera {
namespace {

/// What a number multiplies to give a value, and that number.
struct Scaled {
  ValueId value;
  double factor = 1;
};

std::optional<Scaled> scaled(const Rewriter& rewriter, const ValueId& value) {
  const Node* node = rewriter.maker(value, {"Mul", "Div"});
  if (node == nullptr || !rewriter.has_one_reader(value)) return std::nullopt;
  for (const std::size_t at : {1U, 0U}) {
    const auto number = rewriter.scalar(node->inputs[at]);
    if (!number || rewriter.shape(node->inputs[1 - at]) != rewriter.shape(value)) continue;
    if (node->op == "Mul") return Scaled{node->inputs[1 - at], *number};
    if (at == 1 && *number != 0) return Scaled{node->inputs[0], 1 / *number};
  }
  return std::nullopt;
}

}  // namespace

void move_factors(Graph& graph) {
  Rewriter rewriter(graph);
  std::vector<Node> nodes;
  for (const Node& node : graph.nodes) {
    nodes.push_back(node);
    if (!node.domain.empty() || node.op != "MatMul") continue;
    const ValueType type = graph.types.at(node.outputs[0]);
    double factor = 1;
    for (ValueId& input : nodes.back().inputs)
      while (const auto inner = type.element == ElementType::Float ? scaled(rewriter, input)
                                                                   : std::optional<Scaled>()) {
        input = inner->value;
        factor *= inner->factor;
      }
    if (nodes.back().inputs == node.inputs) continue;
    const ValueId product = node.outputs[0] + "/product";
    nodes.back().outputs = {product};
    graph.types[product] = type;
    HostBuffer number(DType::F32, 1);
    number.set(0, factor);
    const ValueId constant =
        rewriter.add_constant(product + "/factor", {type.element, {}}, std::move(number));
    nodes.push_back({.name = node.name,
                     .domain = "",
                     .op = "Mul",
                     .version = 14,
                     .inputs = {product, constant},
                     .outputs = node.outputs,
                     .attributes = {}});
  }
  if (nodes.size() == graph.nodes.size()) return;
  graph.nodes = std::move(nodes);
  drop_dead(graph);
}

}  // namespace tessera
