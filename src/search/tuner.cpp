#include "search/tuner.h"

#include "base/check.h"
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
/// Tasks from this share of the network's time on are confirmed, and so many candidates of each.
constexpr double confirmed_share = 0.005;
constexpr std::size_t confirmed_count = 4;

std::vector<Task> plain_tasks(const std::vector<NetworkTask>& tasks) {
  std::vector<Task> plain;
  for (const NetworkTask& one : tasks) plain.push_back(one.task);
  return plain;
}

/// `Conv+Relu 64x56x56 k576`: the nodes, the size of the result and of the longest sum.
std::string title_of(const Call& call) {
  std::string sizes;
  std::int64_t longest = 1;
  for (const Stage& stage : call.computation.stages) {
    std::int64_t reduced = 1;
    for (const Axis& axis : stage.axes)
      if (axis.kind == AxisKind::Reduce) reduced *= axis.extent;
    longest = std::max(longest, reduced);
  }
  for (const std::int64_t size : call.computation.stages.back().tensor.shape)
    if (size > 1) sizes += (sizes.empty() ? " " : "x") + std::to_string(size);
  return call.title + sizes + (longest > 1 ? " k" + std::to_string(longest) : "");
}

}  // namespace

Result<Tuner> Tuner::make(const Network& network, const Target& target, const Backend& backend,
                          RecordStore& store, TuningRun run, TuneOptions options) {
  Result<std::unique_ptr<Sampler>> sampler = make_sampler(options.sampler);
  if (!sampler) return sampler.error();
  Result<std::unique_ptr<CostModel>> model = make_cost_model(options.cost_model, options.seed);
  if (!model) return model.error();
  Tuner tuner(tasks_of(network, target), backend, store, std::move(run), std::move(options));
  tuner.sampler_ = *std::move(sampler);
  tuner.model_ = *std::move(model);
  if (const auto done = tuner.prepare(network); !done) return done.error();
  return tuner;
}

Tuner::Tuner(std::vector<NetworkTask> tasks, const Backend& backend, RecordStore& store,
             TuningRun run, TuneOptions options)
    : options_(std::move(options)),
      store_(&store),
      tasks_(std::move(tasks)),
      measurer_(plain_tasks(tasks_), backend, options_.measure),
      run_(std::move(run)) {}

bool Tuner::is_over() const {
  return (options_.budget_seconds > 0 && stopwatch_.seconds() >= options_.budget_seconds) ||
         (options_.budget_trials > 0 && run_.trials() >= options_.budget_trials) ||
         (options_.is_stopped && options_.is_stopped());
}

/// Finds what the store has, so that only the rest is measured.
Result<void> Tuner::prepare(const Network& network) {
  run_.phase = "prepare";
  std::vector<TaskEntry> entries;
  for (const NetworkTask& one : tasks_) {
    TaskSearch& search = searches_.emplace_back(one.task);
    entries.push_back(entry_of(one.task));
    const Result<std::int64_t> outdated = recall(search, *store_);
    if (!outdated) return outdated.error();
    run_.outdated += *outdated;
    Result<std::vector<Candidate>> seeds = seeds_for(search, *store_, seeds_per_task);
    if (!seeds) return seeds.error();
    search.seeds = *std::move(seeds);
    run_.known += static_cast<std::int64_t>(search.measured_count());
    rngs_.emplace_back(options_.seed ^ fingerprint(one.task).low);
    const Computation& computation = one.task.computation;
    run_.tasks.push_back({.task = entries.back().fingerprint,
                          .title = title_of(network.calls[one.calls.front()]),
                          .calls = std::ssize(one.calls),
                          .flops = flops(computation),
                          .traffic_bytes = traffic_bytes(computation)});
    const double peak = run_.peak_flops_per_second;
    histories_.push_back({.calls = std::ssize(one.calls),
                          .least_seconds = peak > 0 ? flops(computation) / peak : 0});
  }
  const Result<std::int64_t> added = store_->add(entries, {});
  if (!added) return added.error();
  return {};
}

Result<void> Tuner::tune() {
  if (const auto done = measure_defaults(); !done) return done.error();
  run_.phase = "tune";
  while (!is_over()) {
    const std::optional<std::size_t> next = next_task(histories_);
    if (!next) break;
    if (const auto done = round(*next); !done) return done.error();
  }
  return {};
}

/// Candidate 0 of every task, and the best that is known of it, under the conditions of this run.
Result<void> Tuner::measure_defaults() {
  for (std::size_t n = 0; n < searches_.size(); ++n) {
    TaskSearch& search = searches_[n];
    std::vector<Candidate> first{{search.untuned(), "default"}};
    if (!search.ranked().empty() &&
        search.ranked().front().chain.choices != search.untuned().choices)
      first.push_back({search.ranked().front().chain, search.ranked().front().origin});
    const double unknown = std::numeric_limits<double>::infinity();
    if (const auto done = measure(n, std::move(first), unknown); !done) return done.error();
    note_progress(n, true);
  }
  return {};
}

Result<void> Tuner::round(std::size_t n) {
  const double start = stopwatch_.seconds();
  TaskSearch& search = searches_[n];
  std::vector<Candidate> candidates = std::exchange(search.seeds, {});
  if (candidates.size() < options_.round_size) {
    const std::size_t wanted = options_.round_size - candidates.size();
    for (Candidate& candidate : sampler_->sample(search, *model_, wanted, rngs_[n]))
      if (std::ranges::none_of(candidates, [&](const Candidate& other) {
            return other.chain.choices == candidate.chain.choices;
          }))
        candidates.push_back(std::move(candidate));
  }
  histories_[n].is_exhausted = candidates.empty();
  if (const auto done = measure(n, std::move(candidates), search.best_seconds()); !done)
    return done.error();
  histories_[n].round_seconds = stopwatch_.seconds() - start;
  note_progress(n, true);
  return {};
}

/// Measures, records and learns.
Result<void> Tuner::measure(std::size_t n, std::vector<Candidate> candidates, double best_seconds) {
  if (candidates.empty()) return {};
  std::vector<std::string> schedules;
  for (const Candidate& candidate : candidates)
    schedules.push_back(to_text(candidate.chain.draft.schedule));
  const Result<std::vector<Measurement>> measured = measurer_.measure(n, schedules, best_seconds);
  if (!measured) return measured.error();
  std::vector<Record> records;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    records.push_back({.task = run_.tasks[n].task,
                       .target = to_text(tasks_[n].task.target),
                       .schedule = std::move(schedules[k]),
                       .choices = to_text(candidates[k].chain.names),
                       .origin = candidates[k].origin,
                       .measurement = (*measured)[k],
                       .version = options_.version,
                       .time = seconds_now()});
    ++run_.outcomes[(*measured)[k].outcome];
  }
  if (const auto added = store_->add({}, records); !added) return added.error();
  run_.tasks[n].trials += std::ssize(candidates);
  for (std::size_t k = 0; k < candidates.size(); ++k)
    searches_[n].add(candidates[k], (*measured)[k]);
  learn(n, candidates, *measured);
  return {};
}

void Tuner::learn(std::size_t n, const std::vector<Candidate>& candidates,
                  const std::vector<Measurement>& measured) {
  const std::optional<double> untuned = searches_[n].untuned_seconds();
  if (!untuned) return;
  std::vector<Lesson> lessons;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const double label =
        measured[k].is_ok() ? std::log(*untuned / measured[k].best()) : worst_label;
    lessons.push_back({&tasks_[n].task, candidates[k].chain, std::max(label, worst_label)});
  }
  model_->learn(std::move(lessons));
}

void Tuner::note_progress(std::size_t n, bool is_round) {
  const TaskSearch& search = searches_[n];
  TaskProgress& task = run_.tasks[n];
  if (!search.ranked().empty()) {
    const TaskSearch::Known& best = search.ranked().front();
    task.untuned_seconds = search.untuned_seconds().value_or(search.best_seconds());
    task.best_seconds = search.best_seconds();
    task.schedule = to_text(best.chain.draft.schedule);
    task.choices = to_text(best.chain.names);
    task.origin = best.origin;
    histories_[n].best_seconds = task.best_seconds;
    if (is_round) task.trend.push_back(task.best_seconds);
    histories_[n].trend = task.trend;
  }
  run_.elapsed_seconds = stopwatch_.seconds();
  const bool is_complete =
      std::ranges::all_of(run_.tasks, [](const TaskProgress& one) { return one.trials > 0; });
  if (is_complete) run_.curve.push_back({run_.elapsed_seconds, run_.trials(), run_.best_seconds()});
  if (options_.progress) options_.progress(run_);
}

Result<void> Tuner::confirm() {
  run_.phase = "confirm";
  const double total = run_.best_seconds();
  for (std::size_t n = 0; n < searches_.size(); ++n) {
    TaskSearch& search = searches_[n];
    const TaskProgress& task = run_.tasks[n];
    if (search.ranked().size() < 2 || task.share(total) < confirmed_share) continue;
    std::vector<Candidate> again{{search.untuned(), "default"}};
    for (const TaskSearch::Known& known : search.ranked())
      if (again.size() <= confirmed_count && known.chain.choices != search.untuned().choices)
        again.push_back({known.chain, known.origin});
    search.forget_timings();
    const double unknown = std::numeric_limits<double>::infinity();
    if (const auto done = measure(n, std::move(again), unknown); !done) return done.error();
    note_progress(n, false);
  }
  return {};
}

std::vector<Schedule> Tuner::schedules(std::size_t rank) const {
  std::vector<Schedule> all;
  for (const TaskSearch& search : searches_) {
    const auto& ranked = search.ranked();
    all.push_back(ranked.empty() ? search.untuned().draft.schedule
                                 : ranked[std::min(rank, ranked.size() - 1)].chain.draft.schedule);
  }
  return all;
}

std::vector<Schedule> Tuner::untuned_schedules() const {
  std::vector<Schedule> all;
  for (const TaskSearch& search : searches_) all.push_back(search.untuned().draft.schedule);
  return all;
}

}  // namespace tessera
