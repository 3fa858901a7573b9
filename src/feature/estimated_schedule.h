#pragma once

#include "schedule/estimate.h"
#include "schedule/schedule.h"

#include <array>
#include <cmath>

namespace tessera {

/// What the prior thinks of a schedule, beside the best that it knows for the task.
struct RelativeEstimate {
  float speed = 0;  // its logarithm: 0 is as fast as the best, -0.7 half as fast
  /// Of each part log2(1 + 16 x), where x is its share of all cycles of the best.
  std::array<float, estimate_parts> parts = {};
};

inline RelativeEstimate relative_estimate(const Estimate& estimate, const Estimate& best) {
  RelativeEstimate relative{.speed = static_cast<float>(std::log(best.cycles / estimate.cycles))};
  for (std::size_t n = 0; n < estimate_parts; ++n)
    relative.parts[n] = std::log2(1 + static_cast<float>(16 * estimate.parts[n] / best.cycles));
  return relative;
}

/// What models read of a program.
struct EstimatedSchedule {
  const Schedule* schedule = nullptr;
  RelativeEstimate estimate = {};
};

}  // namespace tessera
