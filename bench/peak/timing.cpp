#include "peak/timing.h"

#include "base/check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <thread>

namespace tessera::bench {
namespace {

/// Samples are at least this long, so that reading the clocks costs nothing that shows.
constexpr double min_sample_seconds = 100e-6;

/// The pools of the libraries spin for a while after their last loop; they are given time to stop
/// before others with several threads are timed.
constexpr std::chrono::milliseconds spin_down{40};

double seconds_on(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Sample {
  double seconds = 0;  // of one run
  bool is_interrupted = false;
};

Sample sample(const Contender& contender, std::int64_t runs) {
  const double cpu_start = seconds_on(CLOCK_THREAD_CPUTIME_ID);
  const double wall_start = seconds_on(CLOCK_MONOTONIC);
  for (std::int64_t n = 0; n < runs; ++n) contender.run();
  const double wall = seconds_on(CLOCK_MONOTONIC) - wall_start;
  const double cpu = seconds_on(CLOCK_THREAD_CPUTIME_ID) - cpu_start;
  const bool is_interrupted = contender.threads == 1 && wall > 1.02 * cpu;
  return {(is_interrupted ? cpu : wall) / static_cast<double>(runs), is_interrupted};
}

/// Samples of one contender, of one stretch of time or several.
class Samples {
 public:
  void take(const Contender& contender, double seconds, double hopeless) {
    const double start = seconds_on(CLOCK_MONOTONIC);
    const double warm_up = sample(contender, 1).seconds;
    const auto runs = static_cast<std::int64_t>(std::ceil(min_sample_seconds / warm_up));
    for (int n = 0; n < 3 || seconds_on(CLOCK_MONOTONIC) - start < seconds; ++n) {
      all_.push_back(sample(contender, runs));
      if (all_.back().seconds > hopeless) return;
    }
  }

  Timing timing() const {
    constexpr std::size_t enough = 3;
    std::vector<double> all, undisturbed;
    for (const Sample& s : all_) {
      all.push_back(s.seconds);
      if (!s.is_interrupted) undisturbed.push_back(s.seconds);
    }
    const auto interrupted = static_cast<double>(all.size() - undisturbed.size());
    return {.fastest = undisturbed.size() < std::min(enough, all.size()) ? quantile(all, 0.25)
                                                                         : quantile(undisturbed, 0),
            .median = median(all),
            .interrupted = interrupted / static_cast<double>(all.size())};
  }

 private:
  std::vector<Sample> all_;
};

}  // namespace

Timing measure(const Contender& contender, double seconds, double hopeless) {
  Samples samples;
  samples.take(contender, seconds, hopeless);
  return samples.timing();
}

double seconds_of(const std::function<void()>& work) { return sample({work, 1}, 1).seconds; }

std::vector<Timing> race(std::span<const Contender> contenders, int rounds, double seconds_each) {
  std::vector<Samples> samples(contenders.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t n = 0; n < contenders.size(); ++n) {
      if (contenders[n].threads > 1) std::this_thread::sleep_for(spin_down);
      samples[n].take(contenders[n], seconds_each, std::numeric_limits<double>::infinity());
    }
  std::vector<Timing> timings;
  for (const Samples& s : samples) timings.push_back(s.timing());
  return timings;
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double quantile(std::vector<double> values, double share) {
  check(!values.empty(), "values to take a quantile of");
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(std::lround(share * last))];
}

double load() {
  double minute = 0;
  return getloadavg(&minute, 1) == 1 ? minute : 0;
}

}  // namespace tessera::bench
