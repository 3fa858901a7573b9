#pragma once

#include "base/rng.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// Points of a space, one behind the other.
struct Points {
  std::size_t width = 1;
  std::vector<float> values;

  std::size_t size() const { return values.size() / width; }
  std::span<const float> of(std::size_t n) const {
    return std::span(values).subspan(n * width, width);
  }
};

float squared_distance(std::span<const float> a, std::span<const float> b);

/// Each dimension with mean 0 and deviation 1; one in which all are alike becomes 0.
Points standardised(Points points);

/// How close each lies to its nearest others: 1 / (mean distance to so many of them).
std::vector<float> typicality(const Points& points, std::size_t neighbours);

/// The cluster of each point: k-means from far apart points (k-means++), ten rounds of Lloyd's.
/// There may be fewer clusters than asked for.
std::vector<std::size_t> clusters_of(const Points& points, std::size_t count, Rng& rng);

/// Distances to the nearest of those that have been taken; infinite before the first.
class Nearest {
 public:
  explicit Nearest(const Points& points);
  void take(std::size_t n);
  /// Squared.
  float distance(std::size_t n) const { return distances_[n]; }
  /// Which of those taken, in the order of taking.
  std::size_t centre(std::size_t n) const { return centres_[n]; }
  std::size_t taken() const { return taken_; }

 private:
  const Points& points_;
  std::vector<float> distances_;
  std::vector<std::size_t> centres_;
  std::size_t taken_ = 0;
};

/// The share of values below each, ties counted as half: in (0, 1).
std::vector<float> percentiles(std::span<const float> values);

/// One of them, the likelier the greater its weight; the first if all weigh nothing.
std::size_t draw_by_weight(std::span<const float> weights, Rng& rng);

}  // namespace tessera
