#include "ops/nodes/window_attributes.h"

#include "base/text.h"

#include <algorithm>

namespace tessera::ops {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 31;

/// Padding that makes as many positions as strides fit into `size`; the odd one goes after, or
/// before when `is_lower`.
void pad_to_same(Slide& s, std::int64_t size, std::int64_t extent, bool is_lower) {
  const std::int64_t span = (extent - 1) * s.dilation + 1;
  const std::int64_t positions = (size + s.stride - 1) / s.stride;
  const std::int64_t total = std::max<std::int64_t>((positions - 1) * s.stride + span - size, 0);
  s.before = is_lower ? total - total / 2 : total / 2;
  s.after = total - s.before;
}

/// Lets the last position hang over when it begins on an element or in the padding before them.
void round_up(Slide& s, std::int64_t size, std::int64_t extent) {
  const std::int64_t span = (extent - 1) * s.dilation + 1;
  const std::int64_t free = s.before + size + s.after - span;
  if (free < 0 || free % s.stride == 0) return;
  const std::int64_t start = (free / s.stride + 1) * s.stride;
  if (start < s.before + size) s.overhang = start - free;
}

}  // namespace

Result<std::vector<std::int64_t>> per_dimension(const NodeView& view, std::string_view name,
                                                std::size_t rank, std::int64_t otherwise) {
  std::vector<std::int64_t> values = view.integers(name);
  if (values.empty()) values.assign(rank, otherwise);
  const bool is_sound = values.size() == rank && std::ranges::all_of(values, [](std::int64_t v) {
                          return -largest < v && v < largest;
                        });
  if (!is_sound)
    return Error{std::string(name) + " is " + to_text(values) +
                 ", expected one value for each of " + std::to_string(rank) +
                 " spatial dimensions"};
  return values;
}

Result<Padding> padding_of(const NodeView& view, std::size_t rank) {
  const Result<std::vector<std::int64_t>> pads = per_dimension(view, "pads", 2 * rank, 0);
  if (!pads)
    return Error{"pads are " + to_text(view.integers("pads")) + ", expected two for each of " +
                 std::to_string(rank) + " spatial dimensions"};
  const auto middle = pads->begin() + static_cast<std::ptrdiff_t>(rank);
  return Padding{{pads->begin(), middle}, {middle, pads->end()}};
}

Result<std::vector<Slide>> slides_of(const NodeView& view, const Shape& sizes,
                                     const Shape& extents) {
  const std::size_t rank = sizes.size();
  const auto strides = per_dimension(view, "strides", rank, 1);
  if (!strides) return strides.error();
  const auto dilations = per_dimension(view, "dilations", rank, 1);
  if (!dilations) return dilations.error();
  const Result<Padding> pads = padding_of(view, rank);
  if (!pads) return pads.error();
  const std::string automatic = view.text("auto_pad", "NOTSET");
  std::vector<Slide> slides;
  for (std::size_t d = 0; d < rank; ++d) {
    Slide s{.stride = (*strides)[d], .dilation = (*dilations)[d]};
    if (s.stride < 1 || s.dilation < 1)
      return Error{"stride " + std::to_string(s.stride) + " and dilation " +
                   std::to_string(s.dilation) + ", expected positive ones"};
    if (automatic == "NOTSET") {
      s.before = pads->before[d];
      s.after = pads->after[d];
    } else if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      pad_to_same(s, sizes[d], extents[d], automatic == "SAME_LOWER");
    } else if (automatic != "VALID") {
      return Error{"auto_pad is \"" + automatic +
                   "\", expected NOTSET, VALID, SAME_UPPER or SAME_LOWER"};
    }
    if (view.integer("ceil_mode", 0) != 0) round_up(s, sizes[d], extents[d]);
    slides.push_back(s);
  }
  return slides;
}

Result<Shape> spatial_sizes(const Shape& shape) {
  if (shape.size() < 3 || shape.size() > 5)
    return Error{"shape " + to_text(shape) + "; expected 1 to 3 spatial dimensions"};
  return Shape(shape.begin() + 2, shape.end());
}

}  // namespace tessera::ops
