#pragma once

#include "ops/builder.h"

#include <vector>

namespace tessera::ops {

/// How a window moves along one spatial dimension, and the padding on both sides of it. The last
/// position may hang over the padding by `overhang` elements, which count as nothing.
struct Slide {
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::int64_t overhang = 0;
};

/// A window over one to three spatial dimensions of a tensor, as convolution and pooling read it:
///
///     element = position * stride + tap * dilation - before
///
/// Positions are called `z y x` and taps `q r s`, or the last of them when there are fewer.
struct Window {
  std::vector<Axis> positions;     // spatial
  std::vector<Axis> taps;          // reduce; those of extent one are left out
  std::vector<Expr> tap;           // index into the window, per dimension
  std::vector<Expr> element;       // index into the tensor, per dimension
  std::vector<Expr> hits;          // taps on elements and not on padding, per dimension
  std::vector<Expr> reach;         // taps on elements or padding, per dimension
  Expr is_inside = boolean(true);  // whether `element` is no padding
  bool misses = false;             // whether some position has no hit
};

/// A window of `extents` over `sizes`. `slides` has one entry per dimension, or none for all
/// default.
Result<Window> slide(const Shape& sizes, const Shape& extents, const std::vector<Slide>& slides);

}  // namespace tessera::ops
