#pragma once

#include "measure/instance.h"
#include "measure/steady_threads.h"
#include "record/measurement.h"

#include <limits>
#include <vector>

namespace tessera {

/// How long a candidate is looked at.
struct TimingLimits {
  /// Of the best candidate so far; one that is clearly slower is timed twice.
  double best_seconds = std::numeric_limits<double>::infinity();
  double hopeless_ratio = 1.5;
  /// Enough is timed when the two shortest timings are this near, or after so many or so long.
  /// Short runs, all within one disturbance, are timed more often before they may agree.
  double short_seconds = 1e-3;
  double agreement = 0.02;
  std::size_t most = 12;
  double enough_seconds = 30e-3;
};

/// With one thread the time that it ran, which other processes do not lengthen; with several the
/// time that passed.
Clock clock_for(std::int64_t threads);

/// Runs it once to touch its memory, then times runs, in seconds. Constants are out of the caches
/// at the start of each, as a network leaves them; other operands are where the run before left
/// them. Each thread has a core of its own and is awake; while cores are slow, runs wait for a few
/// milliseconds. A timing of a parallel run during which a thread had to wait for a core is thrown
/// away while others are to be had.
std::vector<double> time_runs(const Instance& instance, SteadyThreads& threads,
                              const TimingLimits& limits = {});

}  // namespace tessera
