#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace tessera {

/// Rows of numbers, so many apart.
template <typename T>
struct Matrix {
  T* values = nullptr;
  std::int64_t stride = 0;

  T* row(std::int64_t n) const { return values + n * stride; }
};

/// Sequences that begin alike, whose common steps stand once: each has a branch, the steps that it
/// does not share with the one before. Branches lie one behind the other in the rows of matrices.
///
///     path of branch n = the first depths[n] steps of the path of branch n - 1, then its own
struct Branches {
  std::span<const std::int64_t> starts;  // the first step of each, and the end of the last
  std::span<const std::int64_t> depths;  // of each; 0: nothing is shared

  std::size_t size() const { return depths.size(); }
  /// Steps of the path of branch n.
  std::int64_t length(std::size_t n) const { return depths[n] + starts[n + 1] - starts[n]; }
  std::int64_t longest() const {
    std::int64_t most = 0;
    for (std::size_t n = 0; n < size(); ++n) most = std::max(most, length(n));
    return most;
  }
};

}  // namespace tessera
