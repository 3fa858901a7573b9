#include "measure/timing.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <sys/resource.h>
#include <thread>

namespace tessera {
namespace {

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::Cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// How often threads of this process lost their core although they had work.
std::int64_t lost_cores() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

bool two_agree(std::vector<double> seconds, double agreement) {
  std::ranges::partial_sort(seconds, seconds.begin() + 2);
  return seconds[1] <= (1 + agreement) * seconds[0];
}

}  // namespace

Clock clock_for(std::int64_t threads) { return threads == 1 ? Clock::Cpu : Clock::Wall; }

std::vector<double> time_runs(const Instance& instance, SteadyThreads& threads,
                              const TimingLimits& limits) {
  const Clock clock = clock_for(threads.pool().threads());
  const auto pinned = threads.pin();
  std::size_t patience = limits.most;  // with slow cores
  const auto timed = [&] {
    instance.evict_constants();
    for (; !threads.gather() && patience > 0; --patience)
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    const double start = now(clock);
    instance.run(threads.pool());
    return now(clock) - start;
  };
  // Includes page faults and cold code, so much slower than the best means hopeless.
  if (const double first = timed(); first > 4 * limits.hopeless_ratio * limits.best_seconds)
    return {first};
  std::vector<double> seconds;
  double total = 0;
  for (std::size_t n = 0; n < 2 * limits.most && seconds.size() < limits.most; ++n) {
    const std::int64_t lost = lost_cores();
    const double taken = timed();
    total += taken;
    const bool is_disturbed = clock == Clock::Wall && lost_cores() != lost;
    if (is_disturbed && n < limits.most) continue;
    seconds.push_back(taken);
    if (seconds.size() == 2 &&
        std::ranges::min(seconds) > limits.hopeless_ratio * limits.best_seconds)
      break;
    const std::size_t fewest = total < limits.short_seconds ? 6 : 3;
    if (seconds.size() >= fewest && two_agree(seconds, limits.agreement)) break;
    if (total > limits.enough_seconds && seconds.size() > 1) break;
  }
  return seconds;
}

}  // namespace tessera
