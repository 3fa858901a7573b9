#include "search/allocation.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr std::size_t recent_rounds = 3;
/// A task below this share of the network's time waits until the others have had several rounds.
constexpr double small_share = 0.003;

/// Of the best time, per round.
double recent_gain(const std::vector<double>& trend) {
  const std::size_t rounds = std::min(recent_rounds, trend.size() - 1);
  if (rounds == 0) return 0;
  const double before = trend[trend.size() - 1 - rounds];
  // a best time may rise when it is measured again
  return std::max(0.0, before - trend.back()) / before / static_cast<double>(rounds);
}

}  // namespace

double expected_gain(const TaskHistory& task) {
  if (task.is_exhausted || task.trend.empty() || task.best_seconds <= 0) return 0;
  const double headroom = std::clamp(1 - task.least_seconds / task.best_seconds, 0.05, 0.6);
  const auto rounds = static_cast<double>(task.trend.size());
  const double relative = recent_gain(task.trend) / 2 + headroom / 4 / std::pow(1 + rounds, 1.5);
  return static_cast<double>(task.calls) * task.best_seconds * relative /
         std::max(task.round_seconds, 1e-3);
}

std::optional<std::size_t> next_task(std::span<const TaskHistory> tasks) {
  double total = 0;
  for (const TaskHistory& task : tasks)
    total += static_cast<double>(task.calls) * task.best_seconds;
  std::optional<std::size_t> next;
  double most = 0;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const TaskHistory& task = tasks[n];
    const double seconds = static_cast<double>(task.calls) * task.best_seconds;
    if (task.is_exhausted || task.best_seconds <= 0) continue;
    // The first round has a default schedule's timing only: all are tried once, the longest first.
    const bool is_fresh = task.trend.size() == 1 && seconds > small_share * total;
    const double gain = is_fresh ? 1e6 * seconds : expected_gain(task);
    if (gain > most) {
      most = gain;
      next = n;
    }
  }
  return next;
}

}  // namespace tessera
