#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tessera {

/// exp(x) for x <= 0, in a form that loops over it become vectors: with a relative error below
/// 4e-7, and never below the smallest normal number.
inline float decay(float x) {
  x = std::max(x, -87.0f);
  const auto power = static_cast<std::int32_t>(x * 1.44269504f - 0.5f);  // rounds to nearest
  // ln 2 in two parts: the product with the first is exact
  const auto count = static_cast<float>(power);
  const float rest = (x - count * 0.693359375f) + count * 2.12194440e-4f;
  // (exp(r) - 1) / r at the Chebyshev points of |r| <= ln 2 / 2
  const float slope =
      1.0f + rest * (0.499993721f +
                     rest * (0.166665770f + rest * (0.0418756445f + rest * 0.00836317307f)));
  return std::bit_cast<float>((power + 127) << 23) * (1.0f + rest * slope);
}

inline double decay(double x) { return std::exp(x); }

}  // namespace tessera
