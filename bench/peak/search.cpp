#include "peak/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tessera::bench {
namespace {

constexpr double quick_seconds = 2e-3;
constexpr double thorough_seconds = 30e-3;
constexpr std::size_t elite_size = 4;

struct Trial {
  Choices choices;
  Instance instance;
  double seconds = 0;
};

/// Measures members of a region, each once, and keeps the fastest.
class Search {
 public:
  Search(const Region& region, int trials, const Bench& bench)
      : region_(region), trials_(trials), bench_(bench) {}

  bool is_over() const { return measured_ >= trials_; }
  const std::vector<Trial>& elite() const { return elite_; }  // the fastest first
  bool is_new(const Choices& choices) const {
    return !seen_.contains(choices) && region_.contains(choices);
  }

  void consider(const Choices& choices) {
    if (is_over() || !is_new(choices)) return;
    seen_.insert(choices);
    ++measured_;
    Result<Instance> instance = make_instance(region_.space(), choices, bench_);
    if (!instance) {
      fmt::print(stderr, "peak: refused: {}: {}\n",
                 to_text(region_.space().completed(choices, {}).names), instance.error().message);
      return;
    }
    const double seconds = measured_seconds(*instance);
    elite_.push_back({choices, *std::move(instance), seconds});
    std::ranges::stable_sort(elite_, {}, &Trial::seconds);
    if (elite_.size() > elite_size) elite_.pop_back();
  }

  /// The elite measured once more, by turns: a lucky sample does not win.
  Choices winner() const {
    std::vector<Contender> contenders;
    for (const Trial& trial : elite_) contenders.push_back(as_contender(trial.instance, bench_));
    const std::vector<Timing> timings = race(contenders, 3, thorough_seconds);
    const auto best = std::ranges::min_element(timings, {}, &Timing::fastest);
    return elite_[static_cast<std::size_t>(best - timings.begin())].choices;
  }

 private:
  double measured_seconds(const Instance& instance) const {
    const Contender contender = as_contender(instance, bench_);
    const double best =
        elite_.empty() ? std::numeric_limits<double>::infinity() : elite_[0].seconds;
    const double quick = measure(contender, quick_seconds, 1.5 * best).fastest;
    return quick > 1.1 * best ? quick : measure(contender, thorough_seconds).fastest;
  }

  const Region& region_;
  int trials_;
  const Bench& bench_;
  int measured_ = 0;
  std::set<Choices> seen_;
  std::vector<Trial> elite_;
};

/// The `count` that the prior likes best, taken from each algorithm by turns: the prior knows the
/// schedules of one algorithm better than it knows one algorithm from another.
std::vector<Choices> favourites(const Region& region, const std::set<Choices>& candidates,
                                std::size_t count) {
  std::map<std::string, std::vector<std::pair<double, Choices>>> by_algorithm;
  for (const Choices& choices : candidates)
    by_algorithm[region.answer(choices)].emplace_back(region.space().draft(choices).estimate.cycles,
                                                      choices);
  for (auto& [algorithm, ranked] : by_algorithm) std::ranges::sort(ranked);
  std::vector<Choices> best;
  for (std::size_t rank = 0; rank < candidates.size(); ++rank)
    for (const auto& [algorithm, ranked] : by_algorithm)
      if (rank < ranked.size() && best.size() < count) best.push_back(ranked[rank].second);
  return best;
}

/// Unseen mutations of the elite; the faster a parent, the more children.
std::set<Choices> children(const Search& search, const Region& region, Rng& rng) {
  constexpr int attempts = 40;
  constexpr std::size_t enough = 12;
  std::set<Choices> found;
  const auto parents = static_cast<std::int64_t>(search.elite().size());
  for (int n = 0; n < attempts && found.size() < enough; ++n) {
    const auto parent = std::min(rng.below(parents), rng.below(parents));
    Space::Chain child =
        region.space().completed(search.elite()[static_cast<std::size_t>(parent)].choices, {});
    for (std::int64_t times = rng.between(1, 2); times > 0; --times)
      child = mutate(region.space(), child, rng);
    if (search.is_new(child.choices)) found.insert(child.choices);
  }
  return found;
}

}  // namespace

Result<Instance> make_instance(const Space& space, const Choices& choices, const Bench& bench) {
  const Task& task = space.task();
  const Result<Program> program =
      tessera::apply(space.draft(choices).schedule, to_program(task.computation));
  if (!program) return program.error();
  return Instance::make(*program, task.target, bench.backend, bench.operands);
}

Contender as_contender(const Instance& instance, const Bench& bench) {
  return {[&instance, &pool = bench.pool] { instance.run(pool); }, bench.pool.threads()};
}

Choices fastest(const Region& region, const Choices& start, int trials, const Bench& bench,
                Rng& rng) {
  Search search(region, trials, bench);
  search.consider(start);
  std::set<Choices> draws;
  for (int n = 0; n < 2 * trials; ++n)
    if (const auto choices = region.draw(rng)) draws.insert(*choices);
  for (const Choices& choices : favourites(region, draws, static_cast<std::size_t>(trials) / 4))
    search.consider(choices);
  for (int n = 0; n < trials / 8; ++n)
    if (const auto choices = region.draw(rng)) search.consider(*choices);
  while (!search.is_over()) {
    const std::set<Choices> next = children(search, region, rng);
    if (next.empty()) break;  // the region is small and all of it measured
    for (const Choices& choices : favourites(region, next, elite_size)) search.consider(choices);
  }
  return search.winner();
}

}  // namespace tessera::bench
