#pragma once

#include "feature/rows.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// Neighbouring lists of programs, or programs, that go through a network together.
struct Batch {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// All of them, in order, as many at a time as the caches like. `begins` has the first program of
/// each list and the end of the last.
std::vector<Batch> batches(const Rows& programs, std::span<const std::size_t> begins);

}  // namespace tessera
