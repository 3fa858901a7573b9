#include "ops/constants.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

#include <algorithm>
#include <cmath>
#include <numeric>

/// Operators whose outputs have a shape that depends on values: those must be known.
namespace tessera::ops {
namespace {

using Values = Result<std::vector<Constant>>;

Error unknown_values() {
  return Error{"the shape of its output depends on values known only when the network runs"};
}

Values non_zero(const NodeView& view) {
  const Constant* x = view.constant(0);
  if (x == nullptr) return unknown_values();
  const Shape& shape = x->type.shape;
  std::vector<std::int64_t> found;
  for (std::int64_t e = 0; e < x->data->element_count(); ++e)
    if (x->data->get(e) != 0) found.push_back(e);
  std::vector<std::int64_t> indices(shape.size() * found.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    std::int64_t rest = found[n];
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
      indices[d * found.size() + n] = rest % shape[d];
  }
  return std::vector{constant_of(
      ElementType::Int64,
      {static_cast<std::int64_t>(shape.size()), static_cast<std::int64_t>(found.size())}, indices)};
}

void compress(Expansion& e) {
  const auto condition = e.view().integers(1, "condition");
  if (!condition) return e.refuse(unknown_values().message);
  std::vector<std::int64_t> kept;
  for (std::size_t n = 0; n < condition->size(); ++n)
    if ((*condition)[n] != 0) kept.push_back(static_cast<std::int64_t>(n));
  if (kept.empty()) return e.refuse("its condition picks nothing");
  const bool has_axis = e.has_attribute("axis");
  const ValueId x = has_axis ? e.input(0) : e.add("Reshape", {e.input(0), e.integers({-1})});
  e.output(e.add("Gather", {x, e.integers(kept)}, {{"axis", e.integer("axis", 0)}}));
}

/// A tensor as slices along one dimension, each an equal count of elements.
struct Slices {
  const HostBuffer& data;
  ElementType type = ElementType::Float;
  std::int64_t count = 1;   // slices
  std::int64_t before = 1;  // elements of the dimensions before
  std::int64_t after = 1;   // and after it

  std::int64_t size() const { return before * after; }
  std::int64_t position(std::int64_t slice, std::int64_t element) const {
    return (element / after * count + slice) * after + element % after;
  }
  /// Nan comes last.
  bool is_less(std::int64_t a, std::int64_t b) const {
    if (is_float(data.dtype()))
      return data.get(a) < data.get(b) || (std::isnan(data.get(b)) && !std::isnan(data.get(a)));
    const std::int64_t left = data.get_integer(a), right = data.get_integer(b);
    if (type != ElementType::UInt64) return left < right;
    return static_cast<std::uint64_t>(left) < static_cast<std::uint64_t>(right);
  }
  /// Negative, zero or positive as slice `a` comes before, with or after slice `b`.
  int compare(std::int64_t a, std::int64_t b) const {
    for (std::int64_t e = 0; e < size(); ++e) {
      const std::int64_t left = position(a, e), right = position(b, e);
      if (is_less(left, right)) return -1;
      if (is_less(right, left)) return 1;
    }
    return 0;
  }
};

Result<Slices> slices_of(const NodeView& view, const Constant& x) {
  Slices out{.data = *x.data, .type = x.type.element, .count = x.data->element_count()};
  if (!view.has_attribute("axis")) return out;
  const Shape& shape = x.type.shape;
  const auto axis = dimension(view.integer("axis", 0), shape.size());
  if (!axis) return axis.error();
  out.count = shape[*axis];
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d < *axis) out.before *= shape[d];
    if (d > *axis) out.after *= shape[d];
  }
  return out;
}

/// The distinct slices, where each was first seen, which one each slice is, and how often each is.
Values unique(const NodeView& view) {
  const Constant* x = view.constant(0);
  if (x == nullptr) return unknown_values();
  const auto slices = slices_of(view, *x);
  if (!slices) return slices.error();
  const auto count = static_cast<std::size_t>(slices->count);
  std::vector<std::int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return slices->compare(a, b) < 0; });

  std::vector<std::int64_t> first(count);  // of each slice, the first that equals it
  for (std::size_t n = 0; n < count; ++n) {
    const bool is_new = n == 0 || slices->compare(order[n - 1], order[n]) != 0;
    first[static_cast<std::size_t>(order[n])] =
        is_new ? order[n] : first[static_cast<std::size_t>(order[n - 1])];
  }
  std::vector<std::int64_t> distinct;
  for (const std::int64_t slice : order)
    if (first[static_cast<std::size_t>(slice)] == slice) distinct.push_back(slice);
  if (view.integer("sorted", 1) == 0) std::ranges::sort(distinct);

  std::vector<std::int64_t> inverse(count), counts(distinct.size()), positions;
  for (std::size_t n = 0; n < count; ++n) {
    const auto at = std::ranges::find(distinct, first[n]) - distinct.begin();
    inverse[n] = at;
    ++counts[static_cast<std::size_t>(at)];
  }
  const auto kept = static_cast<std::int64_t>(distinct.size());
  for (std::int64_t e = 0; e < slices->size() * kept; ++e)
    positions.push_back(
        slices->position(distinct[static_cast<std::size_t>(e / slices->after % kept)],
                         e / (slices->after * kept) * slices->after + e % slices->after));
  Shape shape = {kept};
  if (view.has_attribute("axis")) {
    shape = x->type.shape;
    shape[*dimension(view.integer("axis", 0), shape.size())] = kept;
  }
  return std::vector{picked(*x, shape, positions), integer_list(distinct), integer_list(inverse),
                     integer_list(counts)};
}

struct Box {
  double top, left, bottom, right;
  double area() const { return (bottom - top) * (right - left); }
};

Box box_at(const HostBuffer& boxes, std::int64_t n, bool is_centered) {
  const double a = boxes.get(n * 4), b = boxes.get(n * 4 + 1), c = boxes.get(n * 4 + 2),
               d = boxes.get(n * 4 + 3);
  if (is_centered) return {b - d / 2, a - c / 2, b + d / 2, a + c / 2};  // x, y, width, height
  return {std::min(a, c), std::min(b, d), std::max(a, c), std::max(b, d)};
}

double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) return 0;
  return height * width / (a.area() + b.area() - height * width);
}

/// Boxes in falling order of score that overlap no better one by more than a threshold.
Values non_max_suppression(const NodeView& view) {
  const Constant* boxes = view.constant(0);
  const Constant* scores = view.constant(1);
  if (boxes == nullptr || scores == nullptr) return unknown_values();
  if (boxes->type.shape.size() != 3 || boxes->type.shape[2] != 4 || scores->type.shape.size() != 3)
    return Error{"expected boxes [batch, n, 4] and scores [batch, class, n]"};
  const auto scalar = [&](std::size_t n, double otherwise) {
    const Constant* known = view.constant(n);
    return known != nullptr && known->data->element_count() == 1 ? known->data->get(0) : otherwise;
  };
  const double most = scalar(2, 0), threshold = scalar(3, 0);
  const bool is_centered = view.integer("center_point_box", 0) != 0;
  const std::int64_t classes = scores->type.shape[1], count = scores->type.shape[2];

  std::vector<std::int64_t> chosen;  // batch, class, box
  for (std::int64_t group = 0; group < scores->type.shape[0] * classes; ++group) {
    const auto score = [&](std::int64_t n) { return scores->data->get(group * count + n); };
    const auto box = [&](std::int64_t n) {
      return box_at(*boxes->data, group / classes * count + n, is_centered);
    };
    std::vector<std::int64_t> order;
    for (std::int64_t n = 0; n < count; ++n)
      if (!view.has_input(4) || score(n) > scalar(4, 0)) order.push_back(n);
    std::ranges::stable_sort(order, [&](auto a, auto b) { return score(a) > score(b); });
    std::vector<std::int64_t> kept;
    for (const std::int64_t n : order) {
      if (static_cast<double>(kept.size()) >= most) break;
      if (std::ranges::any_of(kept, [&](auto k) { return overlap(box(k), box(n)) > threshold; }))
        continue;
      kept.push_back(n);
      chosen.insert(chosen.end(), {group / classes, group % classes, n});
    }
  }
  return std::vector{
      constant_of(ElementType::Int64, {static_cast<std::int64_t>(chosen.size()) / 3, 3}, chosen)};
}

constexpr Op list[] = {
    {"", "NonZero", non_zero},
    {"", "Compress", compress, 2},
    {"", "Unique", unique},
    {"", "NonMaxSuppression", non_max_suppression, 2},
};

}  // namespace

std::span<const Op> selection_nodes() { return list; }

}  // namespace tessera::ops
