#include "ops/nodes/resize_taps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace tessera::ops {
namespace {

/// The place in the original of element `x` of the result. In floats, as others compute it: which
/// of two elements is nearer may depend on how it rounds.
Result<float> coordinate(const ResizeMethod& method, const ResizedExtent& e, std::int64_t x) {
  const auto at = static_cast<float>(x), scale = static_cast<float>(e.scale);
  const auto from = static_cast<float>(e.from), to = static_cast<float>(e.to);
  const std::string& mode = method.coordinates;
  if (mode == "half_pixel") return (at + 0.5F) / scale - 0.5F;
  if (mode == "asymmetric") return at / scale;
  if (mode == "pytorch_half_pixel") return e.to > 1 ? (at + 0.5F) / scale - 0.5F : 0.0F;
  if (mode == "tf_half_pixel_for_nn") return (at + 0.5F) / scale;
  if (mode == "align_corners")
    return e.to > 1 ? at * (from - 1) / static_cast<float>(e.length - 1) : 0.0F;
  if (mode == "half_pixel_symmetric")
    return from / 2 * (1 - to / static_cast<float>(e.length)) + (at + 0.5F) / scale - 0.5F;
  if (mode == "tf_crop_and_resize") {
    const auto start = static_cast<float>(e.roi_start), end = static_cast<float>(e.roi_end);
    return e.to > 1 ? start * (from - 1) + at * (end - start) * (from - 1) / (to - 1)
                    : (start + end) / 2 * (from - 1);
  }
  return Error{"no known coordinate transformation mode " + mode};
}

Result<std::int64_t> nearest(const ResizeMethod& method, const ResizedExtent& e, float x) {
  const std::string& rounding = method.rounding;
  float at = 0;
  if (rounding == "round_prefer_floor")
    at = std::ceil(x - 0.5F);
  else if (rounding == "round_prefer_ceil")
    at = std::floor(x + 0.5F);
  else if (rounding == "floor")
    at = std::floor(x);
  else if (rounding == "ceil")
    at = std::ceil(x);
  else if (rounding == "simple")  // before version 11
    at = e.scale < 1 ? std::ceil(x) : std::floor(x);
  else
    return Error{"no known nearest mode " + rounding};
  return static_cast<std::int64_t>(at);
}

/// Keys' cubic convolution, at distance `x` from the sample.
double cubic_weight(double x, double a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return a * ((x - 5) * x + 8) * x - 4 * a;
  return 0;
}

double linear_weight(double x) { return std::max(0.0, 1 - std::abs(x)); }

/// Taps around one coordinate, weighted by distance. Antialiasing widens the kernel by the factor
/// of a reduction.
void add_weighted(const ResizeMethod& method, const ResizedExtent& e, double x, std::int64_t reach,
                  double stretch, ResizeTaps& taps) {
  const auto base = static_cast<std::int64_t>(std::floor(x));
  std::vector<double> weights;
  bool is_normalised = method.is_antialiased;
  for (std::int64_t at = base - reach + 1; at <= base + reach; ++at) {
    const double distance = (static_cast<double>(at) - x) / stretch;
    double weight =
        method.mode == "linear" ? linear_weight(distance) : cubic_weight(distance, method.cubic_a);
    if (method.excludes_outside && (at < 0 || at >= e.from)) {
      weight = 0;
      is_normalised = true;
    }
    weights.push_back(weight);
    taps.index.push_back(std::clamp<std::int64_t>(at, 0, e.from - 1));
  }
  const double sum = is_normalised ? std::accumulate(weights.begin(), weights.end(), 0.0) : 1.0;
  for (const double weight : weights) taps.weight.push_back(weight / sum);
}

}  // namespace

bool ResizeTaps::is_identity() const {
  for (std::size_t o = 0; o < is_outside.size(); ++o) {
    if (is_outside[o]) return false;
    for (std::size_t t = o * count; t < (o + 1) * count; ++t)
      if (weight[t] != 0 && (weight[t] != 1 || index[t] != static_cast<std::int64_t>(o)))
        return false;
  }
  return true;
}

Result<ResizeTaps> resize_taps(const ResizeMethod& method, const ResizedExtent& extent) {
  const bool is_nearest = method.mode == "nearest";
  if (!is_nearest && method.mode != "linear" && method.mode != "cubic")
    return Error{"mode " + method.mode + ", expected nearest, linear or cubic"};
  const double stretch = method.is_antialiased ? 1 / std::min(extent.scale, 1.0) : 1.0;
  const double wide = std::ceil((method.mode == "linear" ? 1 : 2) * stretch);
  constexpr double most_taps = 1 << 22;  // they become a table
  if (extent.to < 1 || !(static_cast<double>(extent.to) * (is_nearest ? 1 : 2 * wide) <= most_taps))
    return Error{"extent " + std::to_string(extent.from) + " to " + std::to_string(extent.to) +
                 ", expected 1 to 2^22 taps"};
  const auto reach = static_cast<std::int64_t>(wide);
  ResizeTaps taps;
  taps.count = is_nearest ? 1 : static_cast<std::size_t>(2 * reach);
  for (std::int64_t o = 0; o < extent.to; ++o) {
    const auto x = coordinate(method, extent, o);
    if (!x) return x.error();
    taps.is_outside.push_back(method.coordinates == "tf_crop_and_resize" &&
                              (*x < 0 || *x > static_cast<float>(extent.from - 1)));
    if (!is_nearest) {
      add_weighted(method, extent, *x, reach, stretch, taps);
      continue;
    }
    const auto at = nearest(method, extent, *x);
    if (!at) return at.error();
    taps.index.push_back(std::clamp<std::int64_t>(*at, 0, extent.from - 1));
    taps.weight.push_back(1);
  }
  return taps;
}

}  // namespace tessera::ops
