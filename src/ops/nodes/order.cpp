#include "base/text.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

/// Operators for which the order of elements along a dimension counts. Each looks at all pairs of
/// them.
namespace tessera::ops {
namespace {

Result<std::int64_t> one_integer(const Definition& d, std::size_t input, std::string_view what) {
  const Result<std::vector<std::int64_t>> values = d.integers(input, what);
  if (!values) return values.error();
  if (values->size() != 1)
    return Error{"its " + std::string(what) + " is " + to_text(*values) + ", expected one number"};
  return values->front();
}

/// sum(from) x[.., from, ..], or their product, over what does not lie behind the element, or not
/// before it.
template <Reducer All>
void cumulative(Definition& d) {
  const Result<std::int64_t> wanted = one_integer(d, 1, "axis");
  if (!wanted) return d.refuse(wanted.error().message);
  const Result<std::size_t> dim = dimension(*wanted, d.shape(0).size());
  if (!dim) return d.refuse(dim.error().message);
  const TensorId x = d.input(0);
  if (d.b.dtype(x) == DType::Bool) return d.refuse(undefined_for(DType::Bool));

  std::vector<Axis> axes = d.b.axes(x);
  std::vector<Expr> element = indices_of(axes);
  const Expr here = element[*dim], from = element[*dim] = axis("from");
  const bool is_reverse = d.integer("reverse", 0) != 0;
  const Expr first = is_reverse ? here : from, second = is_reverse ? from : here;
  const Expr counts = d.integer("exclusive", 0) != 0 ? first < second : first <= second;
  axes.push_back(reduced("from", axes[*dim].extent));
  d.output(d.b.stage(d.node().op, axes, All,
                     select(counts, d.b.read(x, element), identity(All, d.b.dtype(x)))));
}

/// How many elements along dimension `dim` come before each when they are sorted; of equal ones the
/// first comes first.
TensorId ranks(const Definition& d, std::size_t dim, bool largest_first) {
  const TensorId x = d.input(0);
  std::vector<Axis> axes = d.b.axes(x);
  std::vector<Expr> element = indices_of(axes);
  const Expr value = in_order(d.b.read(x, element), d.type(0).element), here = element[dim];
  element[dim] = axis("rival");
  const Expr rival = in_order(d.b.read(x, element), d.type(0).element);
  const Expr is_ahead = largest_first ? value < rival : rival < value;
  const Expr ties = binary(BinaryOp::Equal, value, rival) && axis("rival") < here;
  axes.push_back(reduced("rival", axes[dim].extent));
  return d.b.stage("rank", axes, Reducer::Sum, select(binary(BinaryOp::Or, is_ahead, ties), 1, 0));
}

/// Elements are placed by their rank: result[place] = sum(i) (rank[i] == place ? x[i] : 0).
void top_k(Definition& d) {
  const Result<std::int64_t> count =
      d.version() < 10 ? d.integer("k", 0) : one_integer(d, 1, "number of elements");
  if (!count) return d.refuse(count.error().message);
  const Result<std::size_t> dim = dimension(d.integer("axis", -1), d.shape(0).size());
  if (!dim) return d.refuse(dim.error().message);
  const std::int64_t extent = d.shape(0)[*dim];
  if (*count < 1 || *count > extent)
    return d.refuse("k is " + std::to_string(*count) + ", expected 1 to " + std::to_string(extent));
  const TensorId x = d.input(0);
  if (d.b.dtype(x) == DType::Bool) return d.refuse(undefined_for(DType::Bool));

  const TensorId rank = ranks(d, *dim, d.integer("largest", 1) != 0);
  std::vector<Axis> axes = d.b.axes(x);
  const std::vector<Expr> element = indices_of(axes);
  axes.push_back(reduced(axes[*dim].name, extent));
  axes[*dim] = spatial("place", *count);
  const Expr is_placed = binary(BinaryOp::Equal, d.b.read(rank, element), axis("place"));
  const Expr value = d.b.read(x, element);
  d.output(
      d.b.stage("values", axes, Reducer::Sum, select(is_placed, value, number(value.dtype(), 0))),
      d.type(0).element);
  d.output(d.b.stage("indices", axes, Reducer::Sum, select(is_placed, element[*dim], 0)),
           ElementType::Int64);
}

constexpr Op list[] = {
    {"", "CumProd", cumulative<Reducer::Prod>, 2},
    {"", "CumSum", cumulative<Reducer::Sum>, 2},
    {"", "TopK", top_k},
};

}  // namespace

std::span<const Op> order_nodes() { return list; }

}  // namespace tessera::ops
