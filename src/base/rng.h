#pragma once

#include "base/check.h"

#include <cstdint>
#include <span>

namespace tessera {

/// A seeded source of randomness (SplitMix64). The same seed gives the same values everywhere,
/// which the standard distributions do not promise.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound); `bound` must be positive.
  std::int64_t below(std::int64_t bound) {
    check(bound > 0, "a positive bound");
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }

  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  bool chance(double probability) { return unit() < probability; }

  template <typename T>
  const T& pick(std::span<const T> items) {
    return items[static_cast<std::size_t>(below(static_cast<std::int64_t>(items.size())))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace tessera
