#include "extract/passes.h"
#include "extract/rewriter.h"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

using Order = std::vector<std::int64_t>;

/// Which columns of `x` a Gather takes, and how they are moved.
struct Columns {
  ValueId x;
  std::int64_t begin = 0, end = 0;
  Shape shape;  // before the transpose
  Order order;  // of the transpose
};

std::optional<std::int64_t> picked_index(const Rewriter& rewriter, const Node& gather) {
  const Constant* index = rewriter.constant(gather.inputs[1]);
  if (index == nullptr || !index->type.shape.empty() || index->data->get_integer(0) < 0)
    return std::nullopt;
  return index->data->get_integer(0);
}

std::optional<Columns> columns_of(const Rewriter& rewriter, const Node& gather) {
  const Node* transpose = rewriter.maker(gather.inputs[0], {"Transpose"});
  const Node* reshape =
      transpose == nullptr ? nullptr : rewriter.maker(transpose->inputs[0], {"Reshape"});
  const auto index = picked_index(rewriter, gather);
  if (reshape == nullptr || !index || !transpose->attributes.contains("perm") ||
      rewriter.maker(reshape->inputs[0], {"MatMul", "Add", "Gemm"}) == nullptr)
    return std::nullopt;
  Columns out{.x = reshape->inputs[0],
              .shape = rewriter.shape(reshape->outputs[0]),
              .order = std::get<Order>(transpose->attributes.at("perm"))};
  const auto found = gather.attributes.find("axis");
  std::int64_t axis = found == gather.attributes.end() ? 0 : std::get<std::int64_t>(found->second);
  if (axis < 0) axis += static_cast<std::int64_t>(out.order.size());
  const std::int64_t taken = out.order[static_cast<std::size_t>(axis)];
  const auto at = out.shape.begin() + taken;
  const Shape& whole = rewriter.shape(out.x);
  if (whole.empty() ||
      std::accumulate(at, out.shape.end(), std::int64_t{1}, std::multiplies()) != whole.back())
    return std::nullopt;
  const std::int64_t width = whole.back() / *at;
  out.begin = *index * width;
  out.end = out.begin + width;
  out.shape.erase(at);
  std::erase(out.order, taken);
  for (std::int64_t& d : out.order) d -= d > taken ? 1 : 0;
  return out;
}

}  // namespace

void take_columns(Graph& graph) {
  Rewriter rewriter(graph);
  std::vector<Node> nodes;
  for (const Node& node : graph.nodes) {
    const auto columns = node.domain.empty() && node.op == "Gather" ? columns_of(rewriter, node)
                                                                    : std::optional<Columns>();
    if (!columns) {
      nodes.push_back(node);
      continue;
    }
    const ValueId cut = node.outputs[0] + "/columns", apart = node.outputs[0] + "/apart";
    ValueType type = graph.types.at(columns->x);
    type.shape.back() = columns->end - columns->begin;
    const auto last = static_cast<std::int64_t>(type.shape.size()) - 1;
    graph.types[cut] = type;
    nodes.push_back(rewriter.slice(columns->x, cut, last, columns->begin, columns->end));
    nodes.push_back(rewriter.reshape(cut, apart, columns->shape));
    nodes.push_back({.name = node.name,
                     .domain = "",
                     .op = "Transpose",
                     .version = 13,
                     .inputs = {apart},
                     .outputs = node.outputs,
                     .attributes = {{"perm", columns->order}}});
  }
  if (nodes.size() == graph.nodes.size()) return;
  graph.nodes = std::move(nodes);
  drop_dead(graph);
}

}  // namespace tessera
