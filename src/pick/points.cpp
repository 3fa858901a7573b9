#include "pick/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace tessera {
namespace {

constexpr int lloyd_rounds = 10;

Points means_of(const Points& points, std::span<const std::size_t> clusters, std::size_t count) {
  Points means{points.width, std::vector<float>(count * points.width)};
  std::vector<float> sizes(count);
  for (std::size_t n = 0; n < points.size(); ++n) {
    ++sizes[clusters[n]];
    for (std::size_t k = 0; k < points.width; ++k)
      means.values[clusters[n] * points.width + k] += points.of(n)[k];
  }
  for (std::size_t n = 0; n < means.values.size(); ++n)
    means.values[n] /= std::max(sizes[n / points.width], 1.0F);
  return means;
}

std::size_t nearest_of(const Points& centres, std::span<const float> point) {
  std::size_t nearest = 0;
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t n = 0; n < centres.size(); ++n)
    if (const float distance = squared_distance(centres.of(n), point); distance < least) {
      least = distance;
      nearest = n;
    }
  return nearest;
}

}  // namespace

float squared_distance(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t lanes = 8;  // sums that do not wait for each other
  std::array<float, lanes> sums{};
  std::size_t n = 0;
  for (; n + lanes <= a.size(); n += lanes)
    for (std::size_t k = 0; k < lanes; ++k)
      sums[k] += (a[n + k] - b[n + k]) * (a[n + k] - b[n + k]);
  for (; n < a.size(); ++n) sums[0] += (a[n] - b[n]) * (a[n] - b[n]);
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

Points standardised(Points points) {
  const auto count = static_cast<float>(points.size());
  for (std::size_t k = 0; k < points.width; ++k) {
    float mean = 0, square = 0;
    for (std::size_t n = 0; n < points.size(); ++n) mean += points.of(n)[k] / count;
    for (std::size_t n = 0; n < points.size(); ++n) {
      const float off = points.of(n)[k] - mean;
      square += off * off / count;
    }
    const float scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (std::size_t n = 0; n < points.size(); ++n) {
      float& value = points.values[n * points.width + k];
      value = (value - mean) * scale;
    }
  }
  return points;
}

std::vector<float> typicality(const Points& points, std::size_t neighbours) {
  std::vector<float> typical;
  std::vector<float> distances;
  for (std::size_t n = 0; n < points.size(); ++n) {
    distances.clear();
    for (std::size_t other = 0; other < points.size(); ++other)
      if (other != n) distances.push_back(squared_distance(points.of(n), points.of(other)));
    const std::size_t count = std::min(neighbours, distances.size());
    std::ranges::partial_sort(distances, distances.begin() + static_cast<std::ptrdiff_t>(count));
    float sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += std::sqrt(distances[k]);
    const float smallest = std::numeric_limits<float>::min();  // others may lie at the same place
    typical.push_back(count == 0 ? 1 : static_cast<float>(count) / std::max(sum, smallest));
  }
  return typical;
}

std::vector<std::size_t> clusters_of(const Points& points, std::size_t count, Rng& rng) {
  std::vector<std::size_t> clusters(points.size());
  if (points.size() == 0) return clusters;
  Nearest nearest(points);
  nearest.take(static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(points.size()))));
  while (nearest.taken() < count) {
    std::vector<float> weights;
    for (std::size_t n = 0; n < points.size(); ++n) weights.push_back(nearest.distance(n));
    if (std::ranges::max(weights) <= 0) break;  // no other points are left
    nearest.take(draw_by_weight(weights, rng));
  }
  for (std::size_t n = 0; n < points.size(); ++n) clusters[n] = nearest.centre(n);
  for (int round = 0; round < lloyd_rounds; ++round) {
    const Points means = means_of(points, clusters, nearest.taken());
    for (std::size_t n = 0; n < points.size(); ++n) clusters[n] = nearest_of(means, points.of(n));
  }
  return clusters;
}

Nearest::Nearest(const Points& points)
    : points_(points),
      distances_(points.size(), std::numeric_limits<float>::infinity()),
      centres_(points.size()) {}

void Nearest::take(std::size_t taken) {
  for (std::size_t n = 0; n < points_.size(); ++n) {
    const float distance = squared_distance(points_.of(n), points_.of(taken));
    if (distance >= distances_[n]) continue;
    distances_[n] = distance;
    centres_[n] = taken_;
  }
  ++taken_;
}

std::vector<float> percentiles(std::span<const float> values) {
  std::vector<float> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<float> shares;
  for (const float value : values) {
    const auto [first, last] = std::ranges::equal_range(sorted, value);
    const auto middle = static_cast<float>((first - sorted.begin()) + (last - sorted.begin())) / 2;
    shares.push_back(middle / static_cast<float>(values.size()));
  }
  return shares;
}

std::size_t draw_by_weight(std::span<const float> weights, Rng& rng) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double left = rng.unit() * sum;
  std::size_t last = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    if (weights[n] <= 0) continue;
    last = n;
    left -= static_cast<double>(weights[n]);
    if (left < 0) break;
  }
  return last;
}

}  // namespace tessera
