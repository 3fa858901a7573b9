#pragma once

#include "ops/window.h"

#include <string_view>

namespace tessera::ops {

struct ConvOptions {
  std::vector<Slide> slides;  // one per spatial dimension; none: all default
  std::int64_t groups = 1;
};

/// Convolution of x [N, I, .., H, W] with weights [O, I/groups, .., R, S] over one to three spatial
/// dimensions; padding reads zero. A bias is `add_bias(.., 1)`.
///
///     conv[n, o, y, x] = sum(c, r, s) x[n, g(o) + c, y*stride + r*dilation - before, ..] * w[o, c,
///     r, s]
///
/// where g(o) is the first channel of o's group. Reduce axes of extent one are left out, so that a
/// depthwise convolution reduces over r and s only.
TensorId conv(ComputationBuilder& builder, const TensorId& x, const TensorId& weights,
              const ConvOptions& options = {}, std::string_view name = "conv");

}  // namespace tessera::ops
