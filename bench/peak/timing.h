#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace tessera::bench {

/// Something to time. `run` does the work once, on as many threads as it was made for.
struct Contender {
  std::function<void()> run;
  std::int64_t threads = 1;
};

/// Seconds of one run. The fastest of the samples that nobody interrupted; when there are few of
/// those, the lower quartile of all: CPU time is told less exactly and now and then too short.
struct Timing {
  double fastest = std::numeric_limits<double>::infinity();
  double median = std::numeric_limits<double>::infinity();
  double interrupted = 0;  // share of the samples during which other processes held the core
};

/// A warm-up run and then samples for `seconds`, three at least. A run too short for the clock is
/// repeated within its sample. A sample is wall time; one of a single thread that was interrupted
/// is the CPU time of the thread instead. Gives up after the first sample above `hopeless` seconds.
Timing measure(const Contender& contender, double seconds,
               double hopeless = std::numeric_limits<double>::infinity());

/// Seconds that one call takes on this thread, without warm-up.
double seconds_of(const std::function<void()>& work);

/// All contenders by turns, `rounds` times, so that what disturbs one disturbs all.
std::vector<Timing> race(std::span<const Contender> contenders, int rounds, double seconds_each);

double median(std::vector<double> values);
/// The value below which `share` of the values lie.
double quantile(std::vector<double> values, double share);

/// Processes that wait for a core, over the last minute.
double load();

}  // namespace tessera::bench
