#include "report/facts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace tessera {
namespace {

const Finalist* find(const TuningRun& run, std::string_view name) {
  const auto found = std::ranges::find(run.finalists, name, &Finalist::name);
  return found == run.finalists.end() ? nullptr : &*found;
}

bool is_measured(const TaskProgress& task) {
  return is_known(task.untuned_seconds) && is_known(task.best_seconds);
}

}  // namespace

std::optional<Change> measured_change(const TuningRun& run) {
  const Finalist *before = find(run, untuned_name), *after = find(run, run.winner);
  if (before == nullptr || after == nullptr) return {};
  if (!is_known(before->median_ms) || !is_known(after->median_ms)) return {};
  return Change{before->median_ms / 1e3, after->median_ms / 1e3};
}

std::optional<Change> estimated_change(const TuningRun& run) {
  const Change change{run.untuned_seconds(), run.best_seconds()};
  if (!std::ranges::all_of(run.tasks, is_measured)) return {};
  if (!is_known(change.before_seconds) || !is_known(change.after_seconds)) return {};
  return change;
}

bool is_known(double quantity) { return std::isfinite(quantity) && quantity >= 1e-15; }

std::int64_t measured_tasks(const TuningRun& run) {
  return std::ranges::count_if(run.tasks, is_measured);
}

std::optional<double> share_of_peak(const TuningRun& run, const TaskProgress& task) {
  if (!is_known(run.peak_flops_per_second) || !is_known(task.flops)) return {};
  if (!is_known(task.best_seconds)) return {};
  return task.flops / task.best_seconds / run.peak_flops_per_second;
}

std::optional<double> share_of_network(const TuningRun& run, double seconds) {
  const double total = run.best_seconds();
  if (!is_known(total)) return {};
  return seconds / total;
}

std::int64_t failures(const TuningRun& run) {
  std::int64_t sum = 0;
  for (const auto& [outcome, count] : run.outcomes) sum += outcome == Outcome::Ok ? 0 : count;
  return sum;
}

std::string words_of(Outcome outcome) {
  std::string words(to_text(outcome));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::vector<TaskProgress> by_untuned_time(std::vector<TaskProgress> tasks) {
  std::ranges::stable_sort(tasks, std::greater(),
                           [](const TaskProgress& t) { return t.untuned_share(1); });
  return tasks;
}

std::vector<TaskProgress> by_best_time(std::vector<TaskProgress> tasks) {
  std::ranges::stable_sort(tasks, std::greater(), [](const TaskProgress& t) { return t.share(1); });
  return tasks;
}

std::vector<double> times_of(const TaskProgress& task) {
  std::vector<double> times;
  if (is_known(task.untuned_seconds)) times.push_back(task.untuned_seconds);
  std::ranges::copy_if(task.trend, std::back_inserter(times), is_known);
  return times;
}

}  // namespace tessera
