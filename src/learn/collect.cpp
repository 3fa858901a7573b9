#include "learn/collect.h"

#include "base/stopwatch.h"
#include "search/explorer.h"

#include <algorithm>
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
  const auto wanted_of = [&](std::size_t n) {
    return tasks[n].is_further ? options.further_schedules : options.schedules;
  };
  CollectProgress state{.tasks = tasks.size()};
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const std::size_t known = explorer->search(n).measured_count();
    state.known += static_cast<std::int64_t>(known);
    state.wanted += static_cast<std::int64_t>(std::max(known, wanted_of(n)));
  }
  const Stopwatch stopwatch;
  for (std::size_t n = 0; n < tasks.size(); ++n, ++state.tasks_done) {
    const TaskSearch& search = explorer->search(n);
    const std::size_t wanted = wanted_of(n);
    bool is_exhausted = false;
    for (std::size_t turn = 0; !is_exhausted && search.measured_count() < wanted;) {
      if (options.is_stopped && options.is_stopped()) return state;
      const std::size_t left = wanted - search.measured_count();
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
    if (search.measured_count() < wanted)
      state.wanted -= static_cast<std::int64_t>(wanted - search.measured_count());
  }
  return state;
}

}  // namespace tessera
