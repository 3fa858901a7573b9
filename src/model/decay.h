#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace tessera {

/// As many integers as there are floats.
template <typename Floats>
struct IntegersLike {
  using Type [[gnu::vector_size(sizeof(Floats))]] = std::int32_t;
};
template <>
struct IntegersLike<float> {
  using Type = std::int32_t;
};

template <typename To, typename From>
[[gnu::always_inline]] inline To converted(From from) {
  if constexpr (std::is_arithmetic_v<To>)
    return static_cast<To>(from);
  else
    return __builtin_convertvector(from, To);
}

/// exp(x) for x <= 0, of a float or of a vector of them, in a form that loops over it become
/// vectors: with a relative error below 4e-7, and never below the smallest normal number.
template <typename Floats>
[[gnu::always_inline]] inline Floats decay(Floats x) {
  using Integers = typename IntegersLike<Floats>::Type;
  x = x < -87.0f ? Floats{} - 87.0f : x;
  const auto power = converted<Integers>(x * 1.44269504f - 0.5f);  // rounds to nearest
  // ln 2 in two parts: the product with the first is exact
  const auto count = converted<Floats>(power);
  const Floats rest = (x - count * 0.693359375f) + count * 2.12194440e-4f;
  // (exp(r) - 1) / r at the Chebyshev points of |r| <= ln 2 / 2
  const Floats slope =
      1.0f + rest * (0.499993721f +
                     rest * (0.166665770f + rest * (0.0418756445f + rest * 0.00836317307f)));
  return std::bit_cast<Floats>((power + 127) << 23) * (1.0f + rest * slope);
}

inline double decay(double x) { return std::exp(x); }

}  // namespace tessera
