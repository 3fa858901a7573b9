#pragma once

#include "ops/builder.h"

#include <vector>

namespace tessera::ops {

/// How a window moves along one spatial dimension, and the elements that are thought before and
/// after it.
struct Slide {
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t before = 0;
  std::int64_t after = 0;
};

/// A window over the one to three spatial dimensions of a tensor, as convolution and pooling read
/// it.
struct Window {
  std::vector<Axis> positions;  // spatial: `z y x`, or the last of them
  std::vector<Axis> taps;  // reduce: `q r s`, or the last of them; those of extent one are left out
  std::vector<Expr> tap;   // index within the window, per dimension
  std::vector<Expr> element;  // index into the tensor: position * stride + tap * dilation - before
  std::vector<Expr> hits;     // taps that fall on elements and not on padding, per dimension
  Expr is_inside = boolean(true);  // whether `element` is one
  bool misses = false;             // whether some position has no tap on any element
};

/// A window of `extents` over `sizes`. `slides` has one entry per dimension, or none for all
/// default.
Result<Window> slide(const Shape& sizes, const Shape& extents, const std::vector<Slide>& slides);

}  // namespace tessera::ops
