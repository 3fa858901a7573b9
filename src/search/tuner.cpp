#include "search/tuner.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tessera {
namespace {

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
  std::vector<NetworkTask> tasks = tasks_of(network, target);
  Result<Explorer> explorer = Explorer::make(plain_tasks(tasks), backend, store,
                                             {.cost_model = options.cost_model,
                                              .weights_folder = options.weights_folder,
                                              .seed = options.seed,
                                              .measure = options.measure,
                                              .version = options.version});
  if (!explorer) return explorer.error();
  return Tuner(network, std::move(tasks), *std::move(explorer), *std::move(sampler), std::move(run),
               std::move(options));
}

Tuner::Tuner(const Network& network, std::vector<NetworkTask> tasks, Explorer explorer,
             std::unique_ptr<Sampler> sampler, TuningRun run, TuneOptions options)
    : options_(std::move(options)),
      tasks_(std::move(tasks)),
      explorer_(std::move(explorer)),
      sampler_(std::move(sampler)),
      run_(std::move(run)) {
  run_.phase = "prepare";
  run_.outdated = explorer_.outdated();
  for (std::size_t n = 0; n < tasks_.size(); ++n) {
    run_.known += static_cast<std::int64_t>(explorer_.search(n).measured_count());
    const Computation& computation = tasks_[n].task.computation;
    const std::int64_t calls = std::ssize(tasks_[n].calls);
    run_.tasks.push_back({.task = explorer_.name(n),
                          .title = title_of(network.calls[tasks_[n].calls.front()]),
                          .calls = calls,
                          .flops = flops(computation),
                          .traffic_bytes = traffic_bytes(computation)});
    const double peak = run_.peak_flops_per_second;
    histories_.push_back(
        {.calls = calls, .least_seconds = peak > 0 ? flops(computation) / peak : 0});
  }
}

bool Tuner::is_over() const {
  return (options_.budget_seconds > 0 && stopwatch_.seconds() >= options_.budget_seconds) ||
         (options_.budget_trials > 0 && run_.trials() >= options_.budget_trials) ||
         (options_.is_stopped && options_.is_stopped());
}

Result<void> Tuner::tune() {
  for (std::size_t n = 0; n < tasks_.size(); ++n) {
    const Result<std::vector<Measurement>> measured = explorer_.measure_default(n);
    if (!measured) return measured.error();
    note(n, *measured, true);
  }
  run_.phase = "tune";
  while (!is_over()) {
    const std::optional<std::size_t> next = next_task(histories_);
    if (!next) break;
    if (const auto done = round(*next); !done) return done.error();
  }
  return {};
}

Result<void> Tuner::round(std::size_t n) {
  const double start = stopwatch_.seconds();
  const bool is_first = histories_[n].trend.size() == 1;  // the default alone
  const TaskSearch& search = explorer_.search(n);
  std::vector<Candidate> candidates =
      explorer_.propose(n, *sampler_, is_first ? options_.first_round_size : options_.round_size);
  histories_[n].is_exhausted = candidates.empty();
  // Beside them the best so far: a machine is not always equally fast, and a timing of a slower
  // minute would lose to any.
  if (!candidates.empty() && !search.ranked().empty())
    candidates.insert(candidates.begin(),
                      {search.ranked().front().chain, search.ranked().front().origin});
  const Result<std::vector<Measurement>> measured =
      explorer_.measure(n, std::move(candidates), search.best_seconds());
  if (!measured) return measured.error();
  histories_[n].round_seconds = stopwatch_.seconds() - start;
  note(n, *measured, true);
  return {};
}

void Tuner::note(std::size_t n, const std::vector<Measurement>& measured, bool is_round) {
  const TaskSearch& search = explorer_.search(n);
  TaskProgress& task = run_.tasks[n];
  task.trials += std::ssize(measured);
  for (const Measurement& one : measured) ++run_.outcomes[one.outcome];
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
  for (std::size_t n = 0; n < tasks_.size(); ++n) {
    TaskSearch& search = explorer_.search(n);
    const TaskProgress& task = run_.tasks[n];
    if (search.ranked().size() < 2 || task.share(total) < confirmed_share) continue;
    std::vector<Candidate> again{{search.untuned(), "default"}};
    for (const TaskSearch::Known& known : search.ranked())
      if (again.size() <= confirmed_count && known.chain.choices != search.untuned().choices)
        again.push_back({known.chain, known.origin});
    search.forget_timings();
    const double unknown = std::numeric_limits<double>::infinity();
    const Result<std::vector<Measurement>> measured =
        explorer_.measure(n, std::move(again), unknown);
    if (!measured) return measured.error();
    note(n, *measured, false);
  }
  return {};
}

std::vector<Schedule> Tuner::schedules(std::size_t rank) const {
  std::vector<Schedule> all;
  for (std::size_t n = 0; n < tasks_.size(); ++n) {
    const auto& ranked = explorer_.search(n).ranked();
    all.push_back(ranked.empty() ? explorer_.search(n).untuned().draft.schedule
                                 : ranked[std::min(rank, ranked.size() - 1)].chain.draft.schedule);
  }
  return all;
}

std::vector<Schedule> Tuner::untuned_schedules() const {
  std::vector<Schedule> all;
  for (std::size_t n = 0; n < tasks_.size(); ++n)
    all.push_back(explorer_.search(n).untuned().draft.schedule);
  return all;
}

}  // namespace tessera
