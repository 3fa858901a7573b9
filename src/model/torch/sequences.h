#pragma once

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

/// Sequences that lie one behind the other in the rows of matrices: the first row of each, and the
/// end of the last.
using Starts = std::span<const std::int64_t>;

}  // namespace tessera
