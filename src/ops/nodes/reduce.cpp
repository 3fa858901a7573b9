#include "ops/reduce.h"

#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/rearrange.h"
#include "ops/shape.h"

#include <algorithm>
#include <numeric>

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
  return is_float(e.dtype()) ? f(e) : converted(f(as_real(e, element)), element);
}

/// What joins with any element to that element.
Expr neutral(Reduction kind, ElementType element) {
  const Expr value = identity(reducer_of(kind), dtype_of(element));
  const bool is_extreme = kind == Reduction::Max || kind == Reduction::Min;
  return is_extreme ? saturated(in_order(value, element), element) : value;
}

/// What a node gives for an input without elements: `value`, in the shape that is left.
void output_of_nothing(Definition& d, const Extent& extent, const Expr& value) {
  std::vector<std::int64_t> wanted = extent.options.dims;
  if (wanted.empty() && !extent.is_nothing) {
    wanted.resize(d.shape(0).size());
    std::iota(wanted.begin(), wanted.end(), 0);
  }
  const Result<std::vector<std::size_t>> dims = dimensions(wanted, d.shape(0).size());
  if (!dims) return d.refuse(dims.error().message);
  Shape shape;
  for (std::size_t n = 0; n < d.shape(0).size(); ++n) {
    const bool is_reduced = std::ranges::find(*dims, n) != dims->end();
    if (!is_reduced || extent.options.keeps_dims) shape.push_back(is_reduced ? 1 : d.shape(0)[n]);
  }
  if (element_count(shape) == 0) return d.output_empty(std::move(shape));
  d.output(d.b.stage(d.node().op, spatial_axes(shape), value), d.type(0).element);
}

/// `after` the reduction of what `before` gives; either may be null.
template <Function Before, Reduction Kind, Function After>
void reduce_node(Definition& d) {
  const Result<Extent> extent = extent_of(d);
  if (!extent) return d.refuse(extent.error().message);
  const ElementType element = d.type(0).element;
  if (element == ElementType::Bool) return d.refuse(undefined_for(DType::Bool));
  if (!d.has_elements(0)) {
    Expr value = neutral(Kind, element);
    if constexpr (After != nullptr) value = in_reals(After, value, element);
    return output_of_nothing(d, *extent, value);
  }
  const std::string name = d.node().op;
  TensorId x = d.input(0);
  if constexpr (Before != nullptr) x = map(d.b, x, Before, name + "_each");
  if (!extent->is_nothing)
    x = reduce(d.b, Kind, x, extent->options, After == nullptr ? name : name + "_all");
  if constexpr (After != nullptr)
    x = map(d.b, x, [&](const Expr& e) { return in_reals(After, e, element); }, name);
  d.output(extent->is_nothing ? copy(d.b, x, name) : x);
}

/// Booleans are reduced as the numbers 0 and 1.
template <Reduction Kind>
void extremum(Definition& d) {
  const ElementType element = d.type(0).element;
  const bool is_signed = element != ElementType::Bool && element != ElementType::UInt64;
  if (is_signed || !d.has_elements(0)) return reduce_node<nullptr, Kind, nullptr>(d);
  const Result<Extent> extent = extent_of(d);
  if (!extent) return d.refuse(extent.error().message);
  const auto number_of = [&](const Expr& e) {
    return element == ElementType::Bool ? cast(DType::I32, e) : in_order(e, element);
  };
  const auto element_of = [&](const Expr& e) {
    return element == ElementType::Bool ? cast(DType::Bool, e) : in_order(e, element);
  };
  const TensorId x = map(d.b, d.input(0), number_of, "numbers");
  const TensorId found = extent->is_nothing ? x : reduce(d.b, Kind, x, extent->options);
  d.output(map(d.b, found, element_of, d.node().op));
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
      d.b, sum,
      [&](const Expr& e) {
        return truncated_quotient(e, integer(e.dtype(), count), d.type(0).element);
      },
      d.node().op));
}

/// max + log sum exp(x - max), so that no exponential overflows.
void log_sum_exp(Definition& d) {
  const Result<Extent> extent = extent_of(d);
  if (!extent) return d.refuse(extent.error().message);
  if (!d.has_elements(0))
    return output_of_nothing(d, *extent, in_reals(logarithm, real(0), d.type(0).element));
  if (extent->is_nothing) return d.output(copy(d.b, d.input(0), d.node().op));
  const TensorId x =
      map(d.b, d.input(0), [&](const Expr& e) { return as_real(e, d.type(0).element); }, "reals");
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
    {"", "ReduceL1", reduce_node<magnitude, Reduction::Sum, nullptr>, 1, true},
    {"", "ReduceL2", reduce_node<square, Reduction::Sum, root>, 1, true},
    {"", "ReduceLogSum", reduce_node<nullptr, Reduction::Sum, logarithm>, 1, true},
    {"", "ReduceLogSumExp", log_sum_exp, 1, true},
    {"", "ReduceMax", extremum<Reduction::Max>, 1, true},
    {"", "ReduceMean", mean},
    {"", "ReduceMin", extremum<Reduction::Min>, 1, true},
    {"", "ReduceProd", reduce_node<nullptr, Reduction::Prod, nullptr>, 1, true},
    {"", "ReduceSum", reduce_node<nullptr, Reduction::Sum, nullptr>, 1, true},
    {"", "ReduceSumSquare", reduce_node<square, Reduction::Sum, nullptr>, 1, true},
};

}  // namespace

std::span<const Op> reduce_nodes() { return list; }

}  // namespace tessera::ops
