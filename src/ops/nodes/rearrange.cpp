#include "ops/rearrange.h"

#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

#include <algorithm>
#include <numeric>

namespace tessera::ops {
namespace {

bool is_empty(const Shape& shape) { return std::ranges::find(shape, 0) != shape.end(); }

/// The input in another shape of as many elements.
void output_reshaped(Definition& d, const Shape& shape) {
  if (is_empty(d.shape(0)) && is_empty(shape)) return d.output_empty(shape);
  d.output(reshape(d.b, d.input(0), shape, d.node().op));
}

/// `wanted` with -1 replaced by what is left of the elements and, unless zeros mean themselves,
/// 0 by the extent that stands there.
Result<Shape> resolved(const Shape& from, Shape wanted, bool allows_zero) {
  const std::string text = to_text(wanted);
  for (std::size_t d = 0; d < wanted.size(); ++d)
    if (wanted[d] == 0 && !allows_zero) {
      if (d >= from.size())
        return Error{"shape " + text + " takes a dimension that " + to_text(from) + " lacks"};
      wanted[d] = from[d];
    }
  const auto open = std::ranges::find(wanted, -1);
  if (open == wanted.end()) return wanted;
  *open = 1;
  std::int64_t rest = element_count(from);
  for (const std::int64_t extent : wanted) {
    if (extent < 1 || rest % extent != 0)
      return Error{"shape " + text + " does not divide the elements of " + to_text(from)};
    rest /= extent;
  }
  *open = rest;
  return wanted;
}

void reshape_node(Definition& d) {
  const auto wanted = d.attribute_or_input("shape", 1);
  if (!wanted) return d.refuse(wanted.error().message);
  const auto shape = resolved(d.shape(0), *wanted, d.integer("allowzero", 0) != 0);
  if (!shape) return d.refuse(shape.error().message);
  output_reshaped(d, *shape);
}

void flatten(Definition& d) {
  const Shape& shape = d.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis = d.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return d.refuse("axis " + std::to_string(axis) + " for shape " + to_text(shape));
  const auto middle = shape.begin() + (axis < 0 ? axis + rank : axis);
  const auto product = [](auto first, auto last) {
    return std::accumulate(first, last, std::int64_t{1}, std::multiplies());
  };
  output_reshaped(d, {product(shape.begin(), middle), product(middle, shape.end())});
}

void squeeze(Definition& d) {
  const Shape& shape = d.shape(0);
  const auto axes = d.attribute_or_input("axes", 1);
  if (!axes) return d.refuse(axes.error().message);
  const auto dims = dimensions(*axes, shape.size());
  if (!dims) return d.refuse(dims.error().message);
  Shape kept;
  for (std::size_t n = 0; n < shape.size(); ++n) {
    const bool is_named = axes->empty() || std::ranges::binary_search(*dims, n);
    if (is_named && !axes->empty() && shape[n] != 1)
      return d.refuse("axes " + to_text(*axes) + " of shape " + to_text(shape) +
                      ", expected extents of one");
    if (!is_named || shape[n] != 1) kept.push_back(shape[n]);
  }
  output_reshaped(d, kept);
}

void unsqueeze(Definition& d) {
  const auto axes = d.attribute_or_input("axes", 1);
  if (!axes) return d.refuse(axes.error().message);
  Shape shape = d.shape(0);
  const auto dims = dimensions(*axes, shape.size() + axes->size());
  if (!dims) return d.refuse(dims.error().message);
  for (const std::size_t n : *dims) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(n), 1);
  output_reshaped(d, shape);
}

void transpose_node(Definition& d) {
  std::vector<std::int64_t> order(d.shape(0).size());
  std::iota(order.rbegin(), order.rend(), 0);
  d.output(transpose(d.b, d.input(0), d.integers("perm", order), d.node().op));
}

void expand_node(Definition& d) {
  const auto shape = d.integers(1, "shape");
  if (!shape) return d.refuse(shape.error().message);
  d.output(expand(d.b, d.input(0), *shape, d.node().op));
}

void tile_node(Definition& d) {
  const auto repeats = d.integers(1, "repeats");
  if (!repeats) return d.refuse(repeats.error().message);
  d.output(tile(d.b, d.input(0), *repeats, d.node().op));
}

void concat_node(Definition& d) {
  std::vector<TensorId> parts;
  for (std::size_t n = 0; n < d.input_count(); ++n)
    if (d.has_elements(n)) parts.push_back(d.input(n));
  d.output(concat(d.b, parts, concat_axis(d), d.node().op));
}

/// The extents of the parts of a dimension: given, or as equal as they can be.
Result<std::vector<std::int64_t>> part_sizes(const NodeView& view, std::int64_t extent) {
  const auto given = view.attribute_or_input("split", 1);
  if (!given) return given.error();
  const auto count =
      view.integer("num_outputs", static_cast<std::int64_t>(view.node().outputs.size()));
  std::vector<std::int64_t> sizes = *given;
  if (sizes.empty()) {
    if (count < 1 || count > extent)
      return Error{std::to_string(count) + " parts of extent " + std::to_string(extent)};
    const std::int64_t size = (extent + count - 1) / count;
    sizes.assign(static_cast<std::size_t>(count), size);
    sizes.back() = extent - size * (count - 1);
  }
  if (std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != extent ||
      std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; }))
    return Error{"parts " + to_text(sizes) + " of extent " + std::to_string(extent)};
  return sizes;
}

/// A slice for each part: some may have no elements.
void split(Expansion& e) {
  const std::int64_t axis = e.integer("axis", 0);
  const auto dim = dimension(axis, e.shape(0).size());
  if (!dim) return e.refuse(dim.error().message);
  const auto sizes = part_sizes(e, e.shape(0)[*dim]);
  if (!sizes) return e.refuse(sizes.error().message);
  std::int64_t start = 0;
  for (const std::int64_t size : *sizes) {
    e.output(e.add("Slice", {e.input(0), e.integers({start}), e.integers({start + size}),
                             e.integers({axis})}));
    start += size;
  }
}

void slice_node(Definition& d) {
  const auto starts = d.attribute_or_input("starts", 1), ends = d.attribute_or_input("ends", 2);
  const auto axes = d.attribute_or_input("axes", 3), steps = d.attribute_or_input("steps", 4);
  for (const auto* given : {&starts, &ends, &axes, &steps})
    if (!*given) return d.refuse(given->error().message);
  std::vector<Range> ranges;
  for (std::size_t n = 0; n < starts->size(); ++n) {
    Range& range = ranges.emplace_back();
    range.dim = static_cast<std::int64_t>(n);
    range.start = (*starts)[n];
    if (n < ends->size()) range.end = (*ends)[n];
    if (n < axes->size()) range.dim = (*axes)[n];
    if (n < steps->size()) range.step = (*steps)[n];
  }
  Shape shape = d.shape(0);
  for (const Range& range : ranges)
    if (const auto dim = dimension(range.dim, shape.size()); dim && range.step != 0)
      shape[*dim] = count(range, shape[*dim]);
  if (is_empty(shape)) return d.output_empty(shape);
  d.output(slice(d.b, d.input(0), ranges, d.node().op));
}

/// The side of the blocks, when the input is [N, C, H, W].
Result<std::int64_t> block_size(const Definition& d) {
  const std::int64_t size = d.integer("blocksize", 0);
  if (d.shape(0).size() != 4 || size < 1)
    return Error{"blocks of side " + std::to_string(size) + " in shape " + to_text(d.shape(0)) +
                 ", expected a positive side and four dimensions"};
  return size;
}

std::vector<Axis> image_axes(const Shape& shape) {
  return {spatial("n", shape[0]), spatial("c", shape[1]), spatial("y", shape[2]),
          spatial("x", shape[3])};
}

void depth_to_space(Definition& d) {
  const auto size = block_size(d);
  if (!size) return d.refuse(size.error().message);
  const std::int64_t s = *size;
  const Shape& from = d.shape(0);
  if (from[1] % (s * s) != 0)
    return d.refuse(std::to_string(from[1]) + " channels do not divide by blocks of side " +
                    std::to_string(s));
  const std::int64_t channels = from[1] / (s * s);
  const Expr c = axis("c"), y = axis("y"), x = axis("x"), within = y % s * s + x % s;
  const Expr channel =
      d.text("mode", "DCR") == "CRD" ? c * (s * s) + within : within * channels + c;
  d.output(d.b.stage(d.node().op, image_axes({from[0], channels, from[2] * s, from[3] * s}),
                     d.b.read(d.input(0), {axis("n"), channel, y / s, x / s})));
}

void space_to_depth(Definition& d) {
  const auto size = block_size(d);
  if (!size) return d.refuse(size.error().message);
  const std::int64_t s = *size;
  const Shape& from = d.shape(0);
  if (from[2] % s != 0 || from[3] % s != 0)
    return d.refuse("image " + to_text(from) + " does not divide into blocks of side " +
                    std::to_string(s));
  const Expr c = axis("c"), within = c / from[1];
  d.output(d.b.stage(d.node().op, image_axes({from[0], from[1] * s * s, from[2] / s, from[3] / s}),
                     d.b.read(d.input(0), {axis("n"), c % from[1], axis("y") * s + within / s,
                                           axis("x") * s + within % s})));
}

constexpr Op list[] = {
    {"", "Reshape", reshape_node, 1, true},
    {"", "Flatten", flatten, 1, true},
    {"", "Squeeze", squeeze, 1, true},
    {"", "Unsqueeze", unsqueeze, 1, true},
    {"", "Transpose", transpose_node},
    {"", "Expand", expand_node, 2},
    {"", "Tile", tile_node, 2},
    {"", "Concat", concat_node, 1, true},
    {"", "Split", split},
    {"", "Slice", slice_node, 1, true},
    {"", "DepthToSpace", depth_to_space},
    {"", "SpaceToDepth", space_to_depth},
};

}  // namespace

std::span<const Op> rearrange_nodes() { return list; }

}  // namespace tessera::ops
