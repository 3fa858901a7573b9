#include "ops/window.h"

#include "base/text.h"

#include <algorithm>

namespace tessera::ops {
namespace {

constexpr std::size_t max_dims = 3;
constexpr std::int64_t max_value = std::int64_t{1} << 31;

bool is_valid(std::int64_t extent, const Slide& s) {
  const auto lies_within = [](std::int64_t v, std::int64_t low) {
    return low <= v && v < max_value;
  };
  return lies_within(extent, 1) && lies_within(s.stride, 1) && lies_within(s.dilation, 1) &&
         lies_within(s.before, 0) && lies_within(s.after, 0) && lies_within(s.overhang, 0);
}

std::string described(std::int64_t extent, const Slide& s) {
  return "window " + std::to_string(extent) + ", stride " + std::to_string(s.stride) +
         ", dilation " + std::to_string(s.dilation) + ", padding " + std::to_string(s.before) +
         ":" + std::to_string(s.after);
}

/// Taps that lie before the tensor's element `end`: ceil((end - start) / dilation).
Expr taps_before(std::int64_t end, const Expr& position, const Slide& s) {
  return (end + s.before + s.dilation - 1 - position * s.stride) / s.dilation;
}

/// Whether some position has no tap on an element. One that starts on an element has.
bool misses_somewhere(std::int64_t size, std::int64_t extent, std::int64_t positions,
                      const Slide& s) {
  if ((positions - 1) * s.stride - s.before >= size) return true;
  for (std::int64_t p = 0; p < positions && p * s.stride < s.before; ++p) {
    const std::int64_t start = p * s.stride - s.before;
    const std::int64_t first = (-start + s.dilation - 1) / s.dilation;
    if (first >= extent || start + first * s.dilation >= size) return true;
  }
  return false;
}

/// Adds the next dimension, whose axes are called `position_name` and `tap_name`.
Result<void> extend(Window& window, std::int64_t size, std::int64_t extent, const Slide& s,
                    std::string position_name, std::string tap_name) {
  if (!is_valid(extent, s))
    return Error{described(extent, s) + "; expected positive steps and no negative padding"};
  const std::int64_t span = (extent - 1) * s.dilation + 1;
  const std::int64_t padded = s.before + size + s.after + s.overhang;
  if (span > padded)
    return Error{"window spans " + std::to_string(span) + " elements, padded input has " +
                 std::to_string(padded)};

  const std::int64_t positions = (padded - span) / s.stride + 1;
  const Expr position = axis(position_name);
  const Expr tap = extent == 1 ? Expr(0) : axis(tap_name);
  const Expr element = position * s.stride + tap * s.dilation - s.before;
  window.positions.push_back(spatial(std::move(position_name), positions));
  if (extent != 1) window.taps.push_back(reduced(std::move(tap_name), extent));
  window.tap.push_back(tap);
  window.element.push_back(element);
  window.hits.push_back(min(taps_before(size, position, s), extent) -
                        max(taps_before(0, position, s), 0));
  window.reach.push_back(s.overhang == 0 ? Expr(extent)
                                         : min(taps_before(size + s.after, position, s), extent));
  window.is_inside = window.is_inside && 0 <= element && element < size;
  window.misses = window.misses || misses_somewhere(size, extent, positions, s);
  return {};
}

}  // namespace

Result<Window> slide(const Shape& sizes, const Shape& extents, const std::vector<Slide>& slides) {
  const std::size_t rank = sizes.size();
  if (rank < 1 || rank > max_dims)
    return Error{"expected 1 to 3 spatial dimensions, got " + std::to_string(rank)};
  if (extents.size() != rank || (!slides.empty() && slides.size() != rank))
    return Error{"window " + to_text(extents) + " with " + std::to_string(slides.size()) +
                 " slides over " + std::to_string(rank) + " spatial dimensions"};
  Window window;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t n = max_dims - rank + d;
    const Slide s = slides.empty() ? Slide{} : slides[d];
    const Result<void> extended =
        extend(window, sizes[d], extents[d], s, std::string(1, "zyx"[n]), std::string(1, "qrs"[n]));
    if (!extended) return extended.error();
  }
  return window;
}

}  // namespace tessera::ops
