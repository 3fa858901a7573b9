#pragma once

#include "model/torch/branches.h"

#include <vector>

namespace tessera::for_tests {

/// Of one step; of five; the same again; parts from it; parts from that; on its own.
inline const std::vector<std::int64_t> starts = {0, 1, 6, 6, 9, 11, 13};
inline const std::vector<std::int64_t> depths = {0, 0, 5, 2, 4, 0};
inline constexpr std::int64_t steps = 13;
inline Branches branches() { return {.starts = starts, .depths = depths}; }

/// The steps of the path of each branch.
inline std::vector<std::vector<std::int64_t>> paths() {
  std::vector<std::vector<std::int64_t>> all;
  std::vector<std::int64_t> path;
  for (std::size_t n = 0; n < depths.size(); ++n) {
    path.resize(static_cast<std::size_t>(depths[n]));
    for (std::int64_t t = starts[n]; t < starts[n + 1]; ++t) path.push_back(t);
    all.push_back(path);
  }
  return all;
}

}  // namespace tessera::for_tests
