#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/rearrange.h"
#include "ops/shape.h"

#include <algorithm>

/// Operators that read elements at computed places. An index counts from the end when it is
/// negative; one beyond the range is brought to its nearest element.
namespace tessera::ops {
namespace {

bool is_index(const Definition& d, std::size_t n) {
  const DType dtype = dtype_of(d.type(n).element);
  return dtype == DType::I64 || dtype == DType::I32;
}

/// One known index is a slice, which costs nothing.
void gather_node(Definition& d) {
  const std::int64_t axis = d.integer("axis", 0);
  const Constant* known = d.constant(1);
  const auto dim = dimension(axis, d.shape(0).size());
  if (known == nullptr || known->data->element_count() != 1 || !dim || !is_index(d, 1))
    return d.output(gather(d.b, d.input(0), d.input(1), axis, d.node().op));
  const std::int64_t extent = d.shape(0)[*dim];
  const std::int64_t index = known->data->get_integer(0);
  const std::int64_t at =
      std::clamp<std::int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
  Shape shape = d.shape(0);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*dim));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*dim), d.shape(1).size(), 1);
  const TensorId part = slice(d.b, d.input(0), {{.dim = axis, .start = at, .end = at + 1}});
  d.output(reshape(d.b, part, shape, d.node().op));
}

void gather_elements(Definition& d) {
  const Shape &shape = d.shape(0), &picks = d.shape(1);
  const auto dim = dimension(d.integer("axis", 0), shape.size());
  if (!dim) return d.refuse(dim.error().message);
  bool fits = shape.size() == picks.size() && is_index(d, 1);
  for (std::size_t n = 0; n < shape.size() && fits; ++n) fits = n == *dim || picks[n] <= shape[n];
  if (!fits)
    return d.refuse("indices of shape " + to_text(picks) + " in " + to_text(shape) +
                    " along dimension " + std::to_string(*dim));
  const std::vector<Axis> axes = spatial_axes(picks);
  std::vector<Expr> element = indices_of(axes);
  element[*dim] = wrapped_index(d.b.read(d.input(1), indices_of(axes)), shape[*dim]);
  d.output(d.b.stage(d.node().op, axes, d.b.read(d.input(0), std::move(element))),
           d.type(0).element);
}

/// The last dimension of the indices names a place in the dimensions of x after the batches.
///
///     y[batch.., at.., rest..] = x[batch.., indices[batch.., at.., 0], indices[.., 1], .., rest..]
void gather_nd(Definition& d) {
  const Shape &shape = d.shape(0), &picks = d.shape(1);
  const std::int64_t batches = d.integer("batch_dims", 0);
  const std::string shown = "indices of shape " + to_text(picks) + " in " + to_text(shape);
  if (picks.empty() || batches < 0 || batches >= static_cast<std::int64_t>(picks.size()) ||
      !is_index(d, 1))
    return d.refuse(shown + ", expected integers with a last dimension after " +
                    std::to_string(batches) + " batches");
  const auto named = static_cast<std::size_t>(batches + picks.back());
  if (named > shape.size() || !std::equal(picks.begin(), picks.begin() + batches, shape.begin()))
    return d.refuse(shown + ", expected equal batches and places of at most " +
                    std::to_string(shape.size()) + " dimensions");
  Shape result(picks.begin(), picks.end() - 1);
  result.insert(result.end(), shape.begin() + static_cast<std::ptrdiff_t>(named), shape.end());
  const std::vector<Axis> axes = spatial_axes(result);
  const std::vector<Expr> at = indices_of(axes);
  const auto rest = at.begin() + static_cast<std::ptrdiff_t>(picks.size() - 1);
  std::vector<Expr> element(at.begin(), at.begin() + batches);
  for (std::int64_t n = 0; n < picks.back(); ++n) {
    std::vector<Expr> pick(at.begin(), rest);
    pick.emplace_back(n);
    element.push_back(wrapped_index(d.b.read(d.input(1), std::move(pick)), shape[element.size()]));
  }
  element.insert(element.end(), rest, at.end());
  d.output(d.b.stage(d.node().op, axes, d.b.read(d.input(0), std::move(element))),
           d.type(0).element);
}

/// Values of off and on, on where the index names the place along a new dimension.
void one_hot(Definition& d) {
  const auto depth = d.reals(1, "depth");
  if (!depth) return d.refuse(depth.error().message);
  if (depth->size() != 1 || !((*depth)[0] >= 1) || d.shape(2) != Shape{2})
    return d.refuse("expected a depth of at least 1 and two values");
  const auto extent = static_cast<std::int64_t>((*depth)[0]);
  Shape shape = d.shape(0);
  const auto dim = dimension(d.integer("axis", -1), shape.size() + 1);
  if (!dim) return d.refuse(dim.error().message);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*dim), extent);
  const std::vector<Axis> axes = spatial_axes(shape);
  std::vector<Expr> at = indices_of(axes);
  const Expr place = at[*dim];
  at.erase(at.begin() + static_cast<std::ptrdiff_t>(*dim));
  const Expr index = tessera::cast(DType::I64, d.b.read(d.input(0), at));
  const Expr wrapped = select(index < 0, index + extent, index);
  d.output(d.b.stage(d.node().op, axes,
                     select(tessera::binary(BinaryOp::Equal, wrapped, place),
                            d.b.read(d.input(2), {1}), d.b.read(d.input(2), {0}))),
           d.type(2).element);
}

/// The first so many elements of each sequence backwards, the others as they are.
void reverse_sequence(Definition& d) {
  const Shape& shape = d.shape(0);
  const auto time = dimension(d.integer("time_axis", 0), shape.size());
  const auto batch = dimension(d.integer("batch_axis", 1), shape.size());
  if (!time || !batch || *time == *batch || d.shape(1) != Shape{shape[*batch]} || !is_index(d, 1))
    return d.refuse("lengths of shape " + to_text(d.shape(1)) + " for sequences " + to_text(shape));
  const std::vector<Axis> axes = spatial_axes(shape);
  std::vector<Expr> at = indices_of(axes);
  const Expr length = tessera::cast(DType::I64, d.b.read(d.input(1), {at[*batch]}));
  const Expr mirrored = select(at[*time] < length, length - 1 - at[*time], at[*time]);
  at[*time] = min(mirrored, shape[*time] - 1);
  d.output(d.b.stage(d.node().op, axes, d.b.read(d.input(0), at)), d.type(0).element);
}

constexpr Op list[] = {
    {"", "Gather", gather_node, 2},
    {"", "GatherElements", gather_elements, 2},
    {"", "GatherND", gather_nd, 2},
    {"", "OneHot", one_hot, 3},
    {"", "ReverseSequence", reverse_sequence, 2},
};

}  // namespace

std::span<const Op> gather_nodes() { return list; }

}  // namespace tessera::ops
