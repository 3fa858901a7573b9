#pragma once

#include "schedule/estimate.h"
#include "schedule/nest_view.h"
#include "target/target.h"

#include <vector>

namespace tessera {

/// What the L3 cache or, without one, memory delivers to a core.
inline constexpr double bytes_per_cycle_behind_l2 = 14;

/// One loop of a nest as the prior sees it: it advances `axis` by `step` each of `count` times.
struct TrafficLoop {
  AxisId axis;
  std::int64_t count = 1;
  std::int64_t step = 1;
};

/// What moving data through the caches takes when `loops` (outermost first, covering every axis)
/// run around accesses of 4-byte elements: as long as behind the cache that keeps it waiting most.
Estimate traffic_estimate(const std::vector<Access>& accesses,
                          const std::vector<TrafficLoop>& loops, const Target& target);

}  // namespace tessera
