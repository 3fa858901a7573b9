#include "ops/rearrange.h"

#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/shape.h"

#include <algorithm>
#include <functional>

namespace tessera::ops {
namespace {

/// The row-major position of a point; axes of extent one add nothing.
Expr linear_index(const std::vector<Axis>& axes) {
  Expr position = 0;
  for (const Axis& a : axes)
    if (a.extent != 1) position = position * a.extent + axis(a.name);
  return position;
}

/// The indices into `shape` of a row-major position.
std::vector<Expr> unraveled(const Expr& position, const Shape& shape) {
  std::vector<Expr> indices(shape.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d])
    indices[d] = position / stride % shape[d];
  return indices;
}

/// The elements first, first + step, .. that a range names in a dimension; count 0 for a step of 0.
struct Run {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

Run run_of(const Range& range, std::int64_t extent) {
  if (range.step == 0) return {};
  const bool is_forward = range.step > 0;
  const auto resolved = [&](std::int64_t bound) {
    if (bound < 0) bound += extent;
    return is_forward ? std::clamp<std::int64_t>(bound, 0, extent)
                      : std::clamp<std::int64_t>(bound, -1, extent - 1);
  };
  const std::int64_t first = resolved(range.start), end = resolved(range.end);
  const std::int64_t step = std::clamp(range.step, -extent, extent);  // a longer one picks the same
  const std::int64_t length = is_forward ? end - first : first - end;
  return {first, step, length <= 0 ? 0 : (length - 1) / std::abs(step) + 1};
}

/// Whether both shapes have as many elements.
bool is_same_count(const Shape& a, const Shape& b) {
  std::int64_t rest = element_count(a);
  for (const std::int64_t extent : b) {
    if (extent < 1 || rest % extent != 0) return false;
    rest /= extent;
  }
  return rest == 1;
}

/// The element of the part among [first, last) that holds the position `at`; halving keeps the
/// nesting shallow for many parts.
Expr chosen(const Expr& at, const std::vector<std::int64_t>& starts, std::size_t first,
            std::size_t last, const std::function<Expr(std::size_t)>& element) {
  if (last - first == 1) return element(first);
  const std::size_t middle = (first + last) / 2;
  return select(at < starts[middle], chosen(at, starts, first, middle, element),
                chosen(at, starts, middle, last, element));
}

std::string count_differs(std::size_t count, const Shape& shape) {
  return std::to_string(count) + " entries for the dimensions of " + to_text(shape);
}

}  // namespace

TensorId copy(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map(builder, x, [](const Expr& e) { return e; }, name);
}

TensorId transpose(ComputationBuilder& builder, const TensorId& x,
                   const std::vector<std::int64_t>& order, std::string_view name) {
  const std::vector<Axis> from = builder.axes(x);
  const Result<std::vector<std::size_t>> sorted = dimensions(order, from.size());
  if (!sorted || order.size() != from.size())
    return builder.refuse(name, "order " + to_text(order) +
                                    " is no permutation of the dimensions of " +
                                    to_text(builder.shape(x)));
  std::vector<Axis> axes;
  for (const std::int64_t dim : order) axes.push_back(from[*dimension(dim, from.size())]);
  return builder.stage(name, std::move(axes), builder.read(x, indices_of(from)));
}

TensorId reshape(ComputationBuilder& builder, const TensorId& x, const Shape& shape,
                 std::string_view name) {
  const Shape from = builder.shape(x);
  if (!is_same_count(from, shape))
    return builder.refuse(name, "shapes " + to_text(from) + " and " + to_text(shape) +
                                    " differ in their number of elements");
  const std::vector<Axis> axes = spatial_axes(shape);
  return builder.stage(name, axes, builder.read(x, unraveled(linear_index(axes), from)));
}

TensorId expand(ComputationBuilder& builder, const TensorId& x, const Shape& shape,
                std::string_view name) {
  const Result<Shape> all = broadcast(builder.shape(x), shape);
  if (!all) return builder.refuse(name, all.error().message);
  const std::vector<Axis> axes = spatial_axes(*all);
  return builder.stage(name, axes, builder.read(x, broadcast_indices(builder.shape(x), axes)));
}

TensorId tile(ComputationBuilder& builder, const TensorId& x,
              const std::vector<std::int64_t>& repeats, std::string_view name) {
  std::vector<Axis> axes = builder.axes(x);
  if (repeats.size() != axes.size())
    return builder.refuse(name, count_differs(repeats.size(), builder.shape(x)));
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    indices.push_back(axis(axes[d].name) % axes[d].extent);
    if (repeats[d] < 1 || repeats[d] > max_elements / axes[d].extent)
      return builder.refuse(name, "repeats " + to_text(repeats) +
                                      "; expected positive ones and at most 2^40 elements");
    axes[d].extent *= repeats[d];
  }
  return builder.stage(name, std::move(axes), builder.read(x, std::move(indices)));
}

std::int64_t count(const Range& range, std::int64_t extent) { return run_of(range, extent).count; }

TensorId slice(ComputationBuilder& builder, const TensorId& x, const std::vector<Range>& ranges,
               std::string_view name) {
  std::vector<Axis> axes = builder.axes(x);
  std::vector<Expr> indices = indices_of(axes);
  std::vector<std::int64_t> named;
  for (const Range& range : ranges) named.push_back(range.dim);
  if (const auto dims = dimensions(named, axes.size()); !dims)
    return builder.refuse(name, dims.error().message);
  for (const Range& range : ranges) {
    const std::size_t d = *dimension(range.dim, axes.size());
    const std::string shown = std::to_string(range.start) + ":" + std::to_string(range.end) + ":" +
                              std::to_string(range.step);
    const Run run = run_of(range, axes[d].extent);
    if (run.count == 0)
      return builder.refuse(
          name, "range " + shown + " of extent " + std::to_string(axes[d].extent) + " is empty");
    indices[d] = indices[d] * run.step + run.first;
    axes[d].extent = run.count;
  }
  return builder.stage(name, std::move(axes), builder.read(x, std::move(indices)));
}

TensorId pad(ComputationBuilder& builder, const TensorId& x,
             const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after,
             const Expr& value, std::string_view name) {
  std::vector<Axis> axes = builder.axes(x);
  if (before.size() != axes.size() || after.size() != axes.size())
    return builder.refuse(name,
                          count_differs(before.size() != axes.size() ? before.size() : after.size(),
                                        builder.shape(x)));
  std::vector<Expr> indices;
  Expr is_inside = boolean(true);
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (std::max(before[d], after[d]) > max_elements ||
        std::min(before[d], after[d]) < -max_elements)
      return builder.refuse(name, "padding " + to_text(before) + " and " + to_text(after) +
                                      "; expected at most 2^40 elements");
    const Expr index = axis(axes[d].name) - before[d];
    is_inside = is_inside && 0 <= index && index < axes[d].extent;
    indices.push_back(index);
    axes[d].extent += before[d] + after[d];
  }
  return builder.stage(name, std::move(axes),
                       select(is_inside, builder.read(x, std::move(indices)), value));
}

TensorId concat(ComputationBuilder& builder, const std::vector<TensorId>& parts, std::int64_t dim,
                std::string_view name) {
  if (parts.empty()) return builder.refuse(name, "expected at least one part");
  const Tensor first = builder.tensor(parts[0]);
  const Result<std::size_t> d = dimension(dim, first.shape.size());
  if (!d) return builder.refuse(name, d.error().message);
  std::vector<Axis> axes = builder.axes(parts[0]);
  std::vector<std::int64_t> starts;
  std::int64_t end = 0;
  for (const TensorId& id : parts) {
    const Tensor part = builder.tensor(id);
    Shape expected = first.shape;
    if (part.shape.size() == expected.size()) expected[*d] = part.shape[*d];
    if (part.shape != expected || part.dtype != first.dtype)
      return builder.refuse(name, "parts " + std::string(to_text(first.dtype)) +
                                      to_text(first.shape) + " and " +
                                      std::string(to_text(part.dtype)) + to_text(part.shape) +
                                      " do not fit along dimension " + std::to_string(*d));
    starts.push_back(end);
    end += part.shape[*d];
  }
  axes[*d].extent = end;

  const Expr at = axis(axes[*d].name);
  const auto element = [&](std::size_t n) {
    std::vector<Expr> indices = indices_of(axes);
    indices[*d] = at - starts[n];
    return builder.read(parts[n], std::move(indices));
  };
  return builder.stage(name, axes, chosen(at, starts, 0, parts.size(), element));
}

TensorId gather(ComputationBuilder& builder, const TensorId& x, const TensorId& indices,
                std::int64_t dim, std::string_view name) {
  Shape shape = builder.shape(x);
  const Tensor picks = builder.tensor(indices);
  const Result<std::size_t> d = dimension(dim, shape.size());
  if (!d) return builder.refuse(name, d.error().message);
  if (picks.dtype != DType::I64 && picks.dtype != DType::I32)
    return builder.refuse(name,
                          "expected i32 or i64 indices, got " + std::string(to_text(picks.dtype)));
  const std::int64_t extent = shape[*d];
  const auto at = static_cast<std::ptrdiff_t>(*d);
  const auto rank = static_cast<std::ptrdiff_t>(picks.shape.size());
  shape.erase(shape.begin() + at);
  shape.insert(shape.begin() + at, picks.shape.begin(), picks.shape.end());

  const std::vector<Axis> axes = spatial_axes(shape);
  std::vector<Expr> element = indices_of(axes);
  const std::vector<Expr> pick(element.begin() + at, element.begin() + at + rank);
  element.erase(element.begin() + at, element.begin() + at + rank);
  element.insert(element.begin() + at, wrapped_index(builder.read(indices, pick), extent));
  return builder.stage(name, axes, builder.read(x, std::move(element)));
}

}  // namespace tessera::ops
