#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tessera {

/// As many integers as there are floats.
template <typename Floats>
struct IntegersLike {
  using Type [[gnu::vector_size(sizeof(Floats))]] = std::uint32_t;
};
template <>
struct IntegersLike<float> {
  using Type = std::uint32_t;
};

/// 2^x for x <= 0, of a float or of a vector of them, in a form that loops over it become vectors:
/// with a relative error below 2e-7, and never below the smallest normal number.
template <typename Floats>
[[gnu::always_inline]] inline Floats halving(Floats x) {
  using Integers = typename IntegersLike<Floats>::Type;
  x = x < -126.0f ? Floats{} - 126.0f : x;
  // The sum has no bits for a fraction: what is left in its last ones is the nearest integer, with
  // the bias of exponents.
  constexpr float rounding = 12582912.0f + 127.0f;
  const Floats rounded = x + rounding;
  const Floats rest = x - (rounded - rounding);
  const Floats power = std::bit_cast<Floats>(std::bit_cast<Integers>(rounded) << 23);
  // 2^r with the smallest relative error for |r| <= 1/2 that a polynomial has which is 1 at 0
  const Floats slope =
      0.693147004f +
      rest *
          (0.240222424f + rest * (0.0555073358f + rest * (0.00967151299f + rest * 0.00132647273f)));
  return power * (1.0f + rest * slope);
}

inline constexpr float log2_e = 1.44269504f;

/// exp(x) for x <= 0, with an absolute error below 3e-7.
template <typename Floats>
[[gnu::always_inline]] inline Floats decay(Floats x) {
  return halving<Floats>(x * log2_e);
}
inline double decay(double x) { return std::exp(x); }

}  // namespace tessera
