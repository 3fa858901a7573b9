#include "learn/collect.h"

#include "base/stopwatch.h"
#include "search/explorer.h"

#include <array>

namespace tessera {
namespace {

constexpr std::size_t round_size = 20;

std::vector<Task> plain(const std::vector<CorpusTask>& tasks) {
  std::vector<Task> all;
  for (const CorpusTask& one : tasks) all.push_back(one.task);
  return all;
}

}  // namespace

Result<CollectProgress> collect(const std::vector<CorpusTask>& tasks, const Backend& backend,
                                RecordStore& store, const CollectOptions& options,
                                const std::function<void(const CollectProgress&)>& progress) {
  Result<Explorer> explorer = Explorer::make(plain(tasks), backend, store,
                                             {.seed = options.seed,
                                              .has_seeds = false,
                                              .measure = options.measure,
                                              .version = options.version});
  if (!explorer) return explorer.error();
  const std::array samplers{random_sampler(), evolve_sampler(), random_sampler(), evolve_sampler(),
                            evolve_sampler()};
  CollectProgress state{.tasks = tasks.size(),
                        .wanted = static_cast<std::int64_t>(tasks.size() * options.schedules)};
  for (std::size_t n = 0; n < tasks.size(); ++n)
    state.known += static_cast<std::int64_t>(explorer->search(n).measured_count());
  const Stopwatch stopwatch;
  for (std::size_t n = 0; n < tasks.size(); ++n, ++state.tasks_done) {
    const TaskSearch& search = explorer->search(n);
    bool is_exhausted = false;
    for (std::size_t turn = 0; !is_exhausted && search.measured_count() < options.schedules;) {
      if (options.is_stopped && options.is_stopped()) return state;
      const std::size_t left = options.schedules - search.measured_count();
      const bool is_first = !search.untuned_seconds();
      const Result<std::vector<Measurement>> measured =
          is_first
              ? explorer->measure_default(n)
              : explorer->round(n, *samplers[turn++ % samplers.size()], std::min(round_size, left));
      if (!measured) return measured.error();
      is_exhausted = measured->empty() || (is_first && !search.untuned_seconds());
      state.measured += std::ssize(*measured);
      for (const Measurement& one : *measured) ++state.outcomes[one.outcome];
      state.seconds = stopwatch.seconds();
      if (progress) progress(state);
    }
    state.wanted -= static_cast<std::int64_t>(options.schedules - search.measured_count());
  }
  return state;
}

}  // namespace tessera
