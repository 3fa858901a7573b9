#include "extract/passes.h"
#include "extract/rewriter.h"
#include "ops/op.h"

#include <algorithm>

namespace tessera {
namespace {

bool changes_nothing(const Graph& graph, const Node& node) {
  if (!node.domain.empty()) return false;
  if (node.op == "Identity") return true;
  if (node.op == "Dropout") return node.outputs.size() == 1 || node.outputs[1].empty();
  if (node.op == "Cast" || node.op == "Reshape" || node.op == "Flatten" || node.op == "Expand" ||
      node.op == "Squeeze" || node.op == "Unsqueeze")
    return graph.types.at(node.inputs[0]) == graph.types.at(node.outputs[0]);
  return false;
}

/// Readers of what such a node gives read what it takes, unless the graph's interface needs the
/// name.
void drop_identities(Graph& graph) {
  std::map<ValueId, ValueId> same;
  const std::set<ValueId> outputs(graph.outputs.begin(), graph.outputs.end());
  std::vector<Node> rest;
  for (Node node : graph.nodes) {
    for (ValueId& value : node.inputs)
      if (const auto found = same.find(value); found != same.end()) value = found->second;
    if (changes_nothing(graph, node) && !outputs.contains(node.outputs[0]))
      same[node.outputs[0]] = node.inputs[0];
    else
      rest.push_back(std::move(node));
  }
  graph.nodes = std::move(rest);
}

std::vector<Node> slices_of(Rewriter& rewriter, const Node& split) {
  const Shape& whole = rewriter.shape(split.inputs[0]);
  const auto found = split.attributes.find("axis");
  std::int64_t axis = found == split.attributes.end() ? 0 : std::get<std::int64_t>(found->second);
  if (axis < 0) axis += static_cast<std::int64_t>(whole.size());
  std::vector<Node> slices;
  std::int64_t start = 0;
  for (const ValueId& part : split.outputs) {
    if (part.empty()) continue;
    const std::int64_t end = start + rewriter.shape(part)[static_cast<std::size_t>(axis)];
    slices.push_back(rewriter.slice(split.inputs[0], part, axis, start, end));
    start = end;
  }
  return slices;
}

void split_into_slices(Graph& graph) {
  Rewriter rewriter(graph);
  std::vector<Node> nodes;
  for (const Node& node : graph.nodes)
    if (node.domain.empty() && node.op == "Split")
      for (Node& slice : slices_of(rewriter, node)) nodes.push_back(std::move(slice));
    else
      nodes.push_back(node);
  graph.nodes = std::move(nodes);
}

/// Concat(a, b, c) where Concat(a, b) is at hand takes that as its first.
void share_prefixes(Graph& graph) {
  std::map<std::vector<ValueId>, std::pair<ValueId, std::int64_t>> known;  // by what they join
  for (Node& node : graph.nodes) {
    if (!node.domain.empty() || node.op != "Concat") continue;
    const std::vector<ValueId> joined = node.inputs;
    const std::int64_t axis = ops::concat_axis(ops::NodeView(graph, node));
    for (std::size_t count = joined.size() - 1; count > 1; --count) {
      const auto end = joined.begin() + static_cast<std::ptrdiff_t>(count);
      const auto found = known.find({joined.begin(), end});
      if (found == known.end() || found->second.second != axis) continue;
      node.inputs = {found->second.first};
      node.inputs.insert(node.inputs.end(), end, joined.end());
      break;
    }
    known.emplace(joined, std::pair(node.outputs.front(), axis));
  }
}

}  // namespace

void canonicalise(Graph& graph) {
  drop_identities(graph);
  split_into_slices(graph);
  share_prefixes(graph);
  drop_dead(graph);
}

Result<void> simplify_graph(Graph& graph, const Evaluator& evaluate) {
  canonicalise(graph);
  if (const auto folded = fold_constants(graph, evaluate); !folded) return folded.error();
  fold_pads(graph);
  fold_scales(graph);
  recover_norms(graph);
  recover_gelu(graph);
  merge_parallel(graph);
  unfold_rows(graph);
  move_factors(graph);
  take_columns(graph);
  stack_products(graph);
  return {};
}

}  // namespace tessera
