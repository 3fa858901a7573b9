#include "ops/reduce.h"

#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/rearrange.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

Expr magnitude(const Expr& e) { return unary(UnaryOp::Abs, e); }
Expr square(const Expr& e) { return e * e; }
Expr root(const Expr& e) { return unary(UnaryOp::Sqrt, e); }
Expr logarithm(const Expr& e) { return unary(UnaryOp::Log, e); }

/// Which dimensions a node reduces; all when none are named, unless it then does nothing.
struct Extent {
  ReduceOptions options;
  bool is_nothing = false;
};

/// The axes are an input in newer versions and an attribute in older ones.
Result<Extent> extent_of(const Definition& d) {
  const Result<std::vector<std::int64_t>> axes =
      d.has_input(1) ? d.integers(1, "list of axes") : d.integers("axes");
  if (!axes) return axes.error();
  return Extent{.options = {.dims = *axes, .keeps_dims = d.integer("keepdims", 1) != 0},
                .is_nothing = axes->empty() && d.integer("noop_with_empty_axes", 0) != 0};
}

using Function = Expr (*)(const Expr&);

/// A function of reals on an element of any type.
Expr in_reals(Function f, const Expr& e, ElementType element) {
  return is_float(e.dtype()) ? f(e) : converted(f(cast(DType::F32, e)), element);
}

/// `after` the reduction of what `before` gives; either may be null.
template <Function Before, Reduction Kind, Function After>
void reduce_node(Definition& d) {
  const Result<Extent> extent = extent_of(d);
  if (!extent) return d.refuse(extent.error().message);
  const std::string name = d.node().op;
  TensorId x = d.input(0);
  if (d.b.dtype(x) == DType::Bool) return d.refuse(undefined_for(DType::Bool));
  if constexpr (Before != nullptr) x = map(d.b, x, Before, name + "_each");
  if (!extent->is_nothing)
    x = reduce(d.b, Kind, x, extent->options, After == nullptr ? name : name + "_all");
  if constexpr (After != nullptr)
    x = map(d.b, x, [&](const Expr& e) { return in_reals(After, e, d.type(0).element); }, name);
  d.output(extent->is_nothing ? copy(d.b, x, name) : x);
}

/// Booleans are reduced as the numbers 0 and 1.
template <Reduction Kind>
void extremum(Definition& d) {
  if (d.type(0).element != ElementType::Bool) return reduce_node<nullptr, Kind, nullptr>(d);
  const Result<Extent> extent = extent_of(d);
  if (!extent) return d.refuse(extent.error().message);
  const TensorId x = cast(d.b, d.input(0), DType::I32);
  const TensorId found = extent->is_nothing ? x : reduce(d.b, Kind, x, extent->options);
  d.output(cast(d.b, found, DType::Bool, d.node().op));
}

void mean(Definition& d) {
  if (is_float(dtype_of(d.type(0).element)))
    return reduce_node<nullptr, Reduction::Mean, nullptr>(d);
  const Result<Extent> extent = extent_of(d);
  if (!extent) return d.refuse(extent.error().message);
  if (extent->is_nothing) return d.output(copy(d.b, d.input(0), d.node().op));
  const TensorId sum = reduce(d.b, Reduction::Sum, d.input(0), extent->options);
  const std::int64_t count = element_count(d.shape(0)) / element_count(d.b.shape(sum));
  d.output(map(
      d.b, sum, [&](const Expr& e) { return truncated_quotient(e, integer(e.dtype(), count)); },
      d.node().op));
}

/// max + log sum exp(x - max), so that no exponential overflows.
void log_sum_exp(Definition& d) {
  const Result<Extent> extent = extent_of(d);
  if (!extent) return d.refuse(extent.error().message);
  if (extent->is_nothing) return d.output(copy(d.b, d.input(0), d.node().op));
  const TensorId x = cast(d.b, d.input(0), DType::F32);
  std::vector<std::int64_t> wanted = extent->options.dims;
  for (std::size_t n = 0; extent->options.dims.empty() && n < d.shape(0).size(); ++n)
    wanted.push_back(static_cast<std::int64_t>(n));
  const Result<std::vector<std::size_t>> dims = dimensions(wanted, d.shape(0).size());
  if (!dims) return d.refuse(dims.error().message);

  const ReducedAxes over = reduced_axes(d.b, x, *dims);
  const Expr value = d.b.read(x, over.element);
  const TensorId max = d.b.stage("max", over.axes, Reducer::Max, value);
  const TensorId sum = d.b.stage("sum", over.axes, Reducer::Sum,
                                 unary(UnaryOp::Exp, value - d.b.read(max, over.kept)));
  const std::vector<Axis> kept = d.b.axes(sum);
  d.output(d.b.stage(d.node().op, extent->options.keeps_dims ? with_unit_axes(kept, *dims) : kept,
                     converted(logarithm(d.b.read(sum, over.kept)) + d.b.read(max, over.kept),
                               d.type(0).element)));
}

constexpr Op list[] = {
    {"", "ReduceL1", reduce_node<magnitude, Reduction::Sum, nullptr>},
    {"", "ReduceL2", reduce_node<square, Reduction::Sum, root>},
    {"", "ReduceLogSum", reduce_node<nullptr, Reduction::Sum, logarithm>},
    {"", "ReduceLogSumExp", log_sum_exp},
    {"", "ReduceMax", extremum<Reduction::Max>},
    {"", "ReduceMean", mean},
    {"", "ReduceMin", extremum<Reduction::Min>},
    {"", "ReduceProd", reduce_node<nullptr, Reduction::Prod, nullptr>},
    {"", "ReduceSum", reduce_node<nullptr, Reduction::Sum, nullptr>},
    {"", "ReduceSumSquare", reduce_node<square, Reduction::Sum, nullptr>},
};

}  // namespace

std::span<const Op> reduce_nodes() { return list; }

}  // namespace tessera::ops
