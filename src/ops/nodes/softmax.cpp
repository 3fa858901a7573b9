#include "ops/softmax.h"

#include "ops/arg_max.h"
#include "ops/elementwise.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/rearrange.h"
#include "ops/shape.h"

#include <functional>
#include <numeric>

namespace tessera::ops {
namespace {

using AlongDim = std::function<TensorId(const TensorId&, std::int64_t)>;

/// `f` along the node's axis. Before version 13 the dimensions from the axis on count as one.
void along_axis(Definition& d, const AlongDim& f) {
  const Shape& shape = d.shape(0);
  const std::int64_t axis = d.integer("axis", d.version() < 13 ? 1 : -1);
  if (d.version() >= 13) return d.output(f(d.input(0), axis));
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t first = axis < 0 ? axis + rank : axis;
  if (first < 0 || first > rank)
    return d.refuse("no dimension " + std::to_string(axis) + " in rank " + std::to_string(rank));
  if (first == rank - 1) return d.output(f(d.input(0), axis));
  const auto extent = [](auto begin, auto end) {
    return std::accumulate(begin, end, std::int64_t{1}, std::multiplies());
  };
  const Shape flat = {extent(shape.begin(), shape.begin() + first),
                      extent(shape.begin() + first, shape.end())};
  d.output(reshape(d.b, f(reshape(d.b, d.input(0), flat), 1), shape, d.node().op));
}

void softmax_node(Definition& d) {
  along_axis(
      d, [&](const TensorId& x, std::int64_t dim) { return softmax(d.b, x, dim, d.node().op); });
}

void log_softmax_node(Definition& d) {
  along_axis(d, [&](const TensorId& x, std::int64_t dim) {
    return log_softmax(d.b, x, dim, d.node().op);
  });
}

/// One where the largest value stands first, zero elsewhere.
void hardmax(Definition& d) {
  along_axis(d, [&](const TensorId& x, std::int64_t dim) {
    const TensorId first = arg_max(d.b, x, {.dim = dim, .keeps_dim = true}, "first");
    const Result<std::size_t> at = dimension(dim, d.b.shape(x).size());
    if (!at) return d.b.refuse(d.node().title(), at.error().message);
    if (d.b.refusal()) return TensorId();  // what stands for the position is no integer
    const std::vector<Axis> axes = d.b.axes(x);
    const Expr position = axis(axes[*at].name);
    const Expr is_first = binary(BinaryOp::Equal, position,
                                 d.b.read(first, broadcast_indices(d.b.shape(first), axes)));
    const DType dtype = d.b.dtype(x);
    return d.b.stage(d.node().op, axes, select(is_first, number(dtype, 1), number(dtype, 0)));
  });
}

template <Reducer Extremum>
void arg_extremum(Definition& d) {
  const ArgMaxOptions options{.dim = d.integer("axis", 0),
                              .extremum = Extremum,
                              .keeps_dim = d.integer("keepdims", 1) != 0,
                              .takes_last = d.integer("select_last_index", 0) != 0};
  TensorId x = d.input(0);
  const ElementType element = d.type(0).element;
  if (element == ElementType::UInt64)
    x = map(d.b, x, [&](const Expr& e) { return in_order(e, element); }, "ordered");
  d.output(arg_max(d.b, x, options, d.node().op), ElementType::Int64);
}

constexpr Op list[] = {
    {"", "ArgMax", arg_extremum<Reducer::Max>},
    {"", "ArgMin", arg_extremum<Reducer::Min>},
    {"", "Hardmax", hardmax},
    {"", "LogSoftmax", log_softmax_node},
    {"", "Softmax", softmax_node},
};

}  // namespace

std::span<const Op> softmax_nodes() { return list; }

}  // namespace tessera::ops
