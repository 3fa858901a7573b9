#include "learn/metrics.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tessera {
namespace {

/// Seconds of a network with the best of all schedules and with those that a model took.
struct Times {
  double best = 0;
  double taken = 0;
};

Ranking::TopK top_of(const std::map<std::string, Times>& networks) {
  Ranking::TopK top;
  Times pooled;
  for (const auto& [name, times] : networks) {
    top.of_networks[name] = times.best / times.taken;
    top.mean += times.best / times.taken / static_cast<double>(networks.size());
    pooled.best += times.best;
    pooled.taken += times.taken;
  }
  if (!networks.empty()) top.pooled = pooled.best / pooled.taken;
  return top;
}

}  // namespace

double best_of_top(std::span<const double> scores, std::span<const double> seconds, std::size_t k) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t n) { return scores[n]; });
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t n : std::span(order).first(std::min(k, order.size())))
    best = std::min(best, seconds[n]);
  return best;
}

double pair_accuracy(std::span<const double> scores, std::span<const double> seconds) {
  double right = 0, pairs = 0;
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (seconds[a] == seconds[b]) continue;
      pairs += 1;
      if (scores[a] == scores[b])
        right += 0.5;
      else
        right += (scores[a] > scores[b]) == (seconds[a] < seconds[b]) ? 1 : 0;
    }
  return pairs > 0 ? right / pairs : 1;
}

Ranking judge(const Dataset& data, const std::string& target, const Scorer& scorer) {
  std::map<std::string, Times> first, fifth;
  double right = 0, counted = 0, shares = 0, tasks = 0;
  for (const ScheduleList& list : data.lists) {
    if (list.purpose != Purpose::HeldOut || to_text(list.task.target) != target) continue;
    const std::vector<double> scores = scorer(list);
    right += pair_accuracy(scores, list.seconds) * static_cast<double>(scores.size());
    counted += static_cast<double>(scores.size());
    const double one = best_of_top(scores, list.seconds, 1);
    const double five = best_of_top(scores, list.seconds, 5);
    shares += list.best_seconds() / one;
    ++tasks;
    for (const NetworkUses& network : data.networks) {
      const auto calls = network.calls.find(list.name);
      if (!network.is_held_out || network.target != target || calls == network.calls.end())
        continue;
      const auto count = static_cast<double>(calls->second);
      for (auto* const times : {&first[network.network], &fifth[network.network]})
        times->best += count * list.best_seconds();
      first[network.network].taken += count * one;
      fifth[network.network].taken += count * five;
    }
  }
  return {.top1 = top_of(first),
          .top5 = top_of(fifth),
          .top1_of_tasks = tasks > 0 ? shares / tasks : 0,
          .pairs = counted > 0 ? right / counted : 0};
}

}  // namespace tessera
