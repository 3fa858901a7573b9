#include "extract/passes.h"
#include "extract/rewriter.h"

#include <algorithm>

namespace tessera {
namespace {

/// Whether one dimension at most tells rows apart, so that none are lost to the tiles of others.
bool is_one_matrix(const Shape& shape) {
  return std::count_if(shape.begin(), shape.end() - 1, [](std::int64_t n) { return n != 1; }) <= 1;
}

/// The Gemm between a reshape to rows and one back.
const Node* gemm_of(const Rewriter& rewriter, const Node& reshape) {
  const Node* gemm = rewriter.maker(reshape.inputs[0], {"Gemm"});
  const Node* rows = gemm == nullptr ? nullptr : rewriter.maker(gemm->inputs[0], {"Reshape"});
  if (rows == nullptr || !is_plain_gemm(*gemm) || !rewriter.has_one_reader(gemm->outputs[0]))
    return nullptr;
  const Shape& weights = rewriter.shape(gemm->inputs[1]);
  Shape shape = rewriter.shape(rows->inputs[0]);
  if (shape.empty() || shape.back() != weights[0] || !is_one_matrix(shape)) return nullptr;
  shape.back() = weights[1];
  const bool has_bias = gemm->inputs.size() > 2 && !gemm->inputs[2].empty();
  const bool is_row = !has_bias || rewriter.shape(gemm->inputs[2]) == Shape{weights[1]};
  return is_row && rewriter.shape(reshape.outputs[0]) == shape ? gemm : nullptr;
}

}  // namespace

void unfold_rows(Graph& graph) {
  Rewriter rewriter(graph);
  std::vector<Node> nodes;
  bool has_changed = false;
  for (const Node& node : graph.nodes) {
    const Node* gemm =
        node.domain.empty() && node.op == "Reshape" ? gemm_of(rewriter, node) : nullptr;
    if (gemm == nullptr) {
      nodes.push_back(node);
      continue;
    }
    has_changed = true;
    Node product = node, sum = node;
    product.op = "MatMul";
    product.version = sum.version = 14;
    product.attributes = sum.attributes = {};
    product.inputs = {rewriter.maker(gemm->inputs[0], {"Reshape"})->inputs[0], gemm->inputs[1]};
    nodes.push_back(product);
    if (gemm->inputs.size() < 3 || gemm->inputs[2].empty()) continue;
    nodes.back().outputs = {node.outputs[0] + "/product"};
    graph.types[nodes.back().outputs[0]] = graph.types.at(node.outputs[0]);
    sum.op = "Add";
    sum.inputs = {nodes.back().outputs[0], gemm->inputs[2]};
    nodes.push_back(sum);
  }
  if (!has_changed) return;
  graph.nodes = std::move(nodes);
  drop_dead(graph);
}

}  // namespace tessera
