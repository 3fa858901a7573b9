#include "pick/open_programs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tessera {
namespace {

constexpr std::size_t neighbours = 20;
constexpr float fastest = 0.95F;  // percentile of a vote from which on it is one for the fastest

float entropy(float share) {
  if (share <= 0 || share >= 1) return 0;
  return -share * std::log2(share) - (1 - share) * std::log2(1 - share);
}

std::vector<float> only(const std::vector<float>& values, const std::vector<std::size_t>& numbers) {
  std::vector<float> some;
  for (const std::size_t n : numbers) some.push_back(values[n]);
  return some;
}

std::vector<std::size_t> by_value(const std::vector<float>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t n) { return values[n]; });
  return order;
}

}  // namespace

OpenPrograms::OpenPrograms(const PoolList& list) : list_(list), numbers_(list.open()) {}

std::vector<float> OpenPrograms::typicality() const {
  Points places{.width = list_.places.width, .values = {}};
  for (const std::size_t n : numbers_) {
    const std::span<const float> place = list_.places.of(n);
    places.values.insert(places.values.end(), place.begin(), place.end());
  }
  return percentiles(tessera::typicality(places, neighbours));
}

std::vector<float> OpenPrograms::disagreement() const {
  std::vector<float> sums(size()), squares(size()), tops(size());
  if (list_.votes.empty()) return sums;
  const auto count = static_cast<float>(list_.votes.size());
  for (const std::vector<float>& vote : list_.votes) {
    const std::vector<float> ranks = percentiles(only(vote, numbers_));
    for (std::size_t n = 0; n < size(); ++n) {
      sums[n] += ranks[n] / count;
      squares[n] += ranks[n] * ranks[n] / count;
      tops[n] += ranks[n] >= fastest ? 1 / count : 0;
    }
  }
  std::vector<float> both;
  for (std::size_t n = 0; n < size(); ++n)
    both.push_back(std::sqrt(std::max(squares[n] - sums[n] * sums[n], 0.0F)) +
                   entropy(tops[n]) / 2);
  return percentiles(both);
}

std::vector<float> OpenPrograms::bias() const {
  std::vector<float> bias;
  for (const float rank : percentiles(only(list_.scores, numbers_)))
    bias.push_back(rank >= 0.75F ? 1.0F : rank >= 0.5F ? 0.6F : 0.3F);
  return bias;
}

std::vector<std::size_t> OpenPrograms::largest(const std::vector<float>& values,
                                               std::size_t count) const {
  std::vector<std::size_t> taken;
  for (const std::size_t n : by_value(values)) {
    if (taken.size() == count) break;
    taken.push_back(numbers_[n]);
  }
  return taken;
}

std::vector<std::size_t> OpenPrograms::spread(const std::vector<float>& values,
                                              std::size_t count) const {
  Nearest nearest(list_.places);
  for (std::size_t n = 0; n < list_.size(); ++n)
    if (list_.is_measured[n]) nearest.take(n);
  std::vector<bool> is_taken(size());
  std::vector<std::size_t> taken;
  while (taken.size() < std::min(count, size())) {
    std::size_t best = size();
    float most = -1;
    for (std::size_t n = 0; n < size(); ++n) {
      const float distance = nearest.taken() == 0 ? 1 : std::sqrt(nearest.distance(numbers_[n]));
      if (!is_taken[n] && values[n] * distance > most) {
        most = values[n] * distance;
        best = n;
      }
    }
    is_taken[best] = true;
    nearest.take(numbers_[best]);
    taken.push_back(numbers_[best]);
  }
  return taken;
}

}  // namespace tessera
