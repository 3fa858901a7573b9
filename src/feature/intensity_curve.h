#pragma once

#include <array>
#include <span>

namespace tessera::statement {

inline constexpr std::size_t curve_samples = 10;

/// Arithmetic intensity, log2(operations) / log2(bytes), as more and more loops run: a point for
/// each loop from the innermost outwards, joined by lines over log2(operations) and read at tenths
/// of the last. All 0 where nothing is computed or no loop runs.
struct IntensityPoint {
  double operations = 0;  // on floating-point numbers
  double bytes = 0;       // that are touched
};
std::array<double, curve_samples> intensity_curve(std::span<const IntensityPoint> points);

}  // namespace tessera::statement
