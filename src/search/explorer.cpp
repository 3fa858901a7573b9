#include "search/explorer.h"

#include "base/cores.h"
#include "search/seeds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera {
namespace {

constexpr std::size_t seeds_per_task = 8;
/// Of the worst that a model learns of: e^-4 of the default's speed.
constexpr double worst_label = -4;
constexpr double nothing_known = std::numeric_limits<double>::infinity();

}  // namespace

Result<Explorer> Explorer::make(std::vector<Task> tasks, const Backend& backend, RecordStore& store,
                                Options options) {
  Result<std::unique_ptr<CostModel>> model =
      make_cost_model(options.cost_model, {.seed = options.seed,
                                           .threads = static_cast<int>(usable_cores()),
                                           .weights_folder = options.weights_folder});
  if (!model) return model.error();
  Explorer explorer(tasks, backend, store, std::move(options));
  explorer.model_ = *std::move(model);
  if (const auto done = explorer.recall_all(); !done) return done.error();
  return explorer;
}

Explorer::Explorer(const std::vector<Task>& tasks, const Backend& backend, RecordStore& store,
                   Options options)
    : options_(std::move(options)),
      store_(&store),
      searches_(tasks.begin(), tasks.end()),
      measurer_(tasks, backend, options_.measure) {}

/// Finds what the store has, so that only the rest is measured.
Result<void> Explorer::recall_all() {
  std::vector<TaskEntry> entries;
  for (TaskSearch& search : searches_) {
    entries.push_back(entry_of(search.task()));
    names_.push_back(entries.back().fingerprint);
    rngs_.emplace_back(options_.seed ^ fingerprint(search.task()).low);
    const Result<std::int64_t> outdated = recall(search, *store_);
    if (!outdated) return outdated.error();
    outdated_ += *outdated;
    if (!options_.has_seeds) continue;
    Result<std::vector<Candidate>> seeds = seeds_for(search, *store_, seeds_per_task);
    if (!seeds) return seeds.error();
    search.seeds = *std::move(seeds);
  }
  const Result<std::int64_t> added = store_->add(entries, {});
  if (!added) return added.error();
  return {};
}

std::vector<Candidate> Explorer::propose(std::size_t task, const Sampler& sampler,
                                         std::size_t count) {
  TaskSearch& search = searches_[task];
  std::vector<Candidate> candidates = std::exchange(search.seeds, {});
  if (candidates.size() < count)
    for (Candidate& candidate :
         sampler.sample(search, *model_, count - candidates.size(), rngs_[task]))
      if (std::ranges::none_of(candidates, [&](const Candidate& other) {
            return other.chain.choices == candidate.chain.choices;
          }))
        candidates.push_back(std::move(candidate));
  return candidates;
}

Result<std::vector<Measurement>> Explorer::round(std::size_t task, const Sampler& sampler,
                                                 std::size_t count) {
  return measure(task, propose(task, sampler, count), searches_[task].best_seconds());
}

Result<std::vector<Measurement>> Explorer::measure_default(std::size_t task) {
  const TaskSearch& search = searches_[task];
  std::vector<Candidate> first{{search.untuned(), "default"}};
  if (!search.ranked().empty() && search.ranked().front().chain.choices != search.untuned().choices)
    first.push_back({search.ranked().front().chain, search.ranked().front().origin});
  return measure(task, std::move(first), nothing_known);
}

Result<std::vector<Measurement>> Explorer::measure(std::size_t task,
                                                   std::vector<Candidate> candidates,
                                                   double best_seconds) {
  if (candidates.empty()) return std::vector<Measurement>();
  std::vector<std::string> schedules;
  for (const Candidate& candidate : candidates)
    schedules.push_back(to_text(candidate.chain.draft.schedule));
  Result<std::vector<Measurement>> measured = measurer_.measure(task, schedules, best_seconds);
  if (!measured) return measured;
  std::vector<Record> records;
  for (std::size_t n = 0; n < candidates.size(); ++n)
    records.push_back({.task = names_[task],
                       .target = to_text(searches_[task].task().target),
                       .schedule = std::move(schedules[n]),
                       .choices = to_text(candidates[n].chain.names),
                       .origin = candidates[n].origin,
                       .measurement = (*measured)[n],
                       .version = options_.version,
                       .time = seconds_now()});
  if (const auto added = store_->add({}, records); !added) return added.error();
  for (std::size_t n = 0; n < candidates.size(); ++n)
    searches_[task].add(candidates[n], (*measured)[n]);
  learn(task, candidates, *measured);
  return measured;
}

void Explorer::learn(std::size_t task, const std::vector<Candidate>& candidates,
                     const std::vector<Measurement>& measured) {
  const std::optional<double> untuned = searches_[task].untuned_seconds();
  if (!untuned) return;
  std::vector<Lesson> lessons;
  for (std::size_t n = 0; n < candidates.size(); ++n) {
    const double label =
        measured[n].is_ok() ? std::log(*untuned / measured[n].best()) : worst_label;
    lessons.push_back({&searches_[task].task(), candidates[n].chain, std::max(label, worst_label)});
  }
  model_->learn(std::move(lessons));
}

}  // namespace tessera
