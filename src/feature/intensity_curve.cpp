#include "feature/intensity_curve.h"

#include <algorithm>
#include <cmath>

namespace tessera::statement {
namespace {

/// At least 2 bytes count, so that the logarithm divides.
double intensity(const IntensityPoint& point) {
  return std::log2(point.operations) / std::log2(std::max(point.bytes, 2.0));
}

}  // namespace

std::array<double, curve_samples> intensity_curve(std::span<const IntensityPoint> points) {
  std::array<double, curve_samples> curve = {};
  if (points.empty() || points.back().operations <= 0) return curve;
  const double total = std::log2(points.back().operations);
  constexpr double tolerance = 1e-4;
  std::size_t n = 0;
  for (std::size_t sample = 0; sample < curve_samples; ++sample) {
    const double at = total * static_cast<double>(sample + 1) / curve_samples;
    while (n + 1 < points.size() && std::log2(points[n].operations) < at - tolerance) ++n;
    curve[sample] = intensity(points[n]);
    if (n == 0) continue;
    const double from = std::log2(points[n - 1].operations);
    const double to = std::log2(points[n].operations);
    const double base = intensity(points[n - 1]);
    curve[sample] = base + (curve[sample] - base) * (at - from) / (to - from);
  }
  return curve;
}

}  // namespace tessera::statement
