#include "learn/search_race.h"

#include "base/check.h"
#include "base/child.h"
#include "base/temporary_folder.h"
#include "package/build.h"
#include "record/json_fields.h"
#include "search/tuner.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace tessera {
namespace {

constexpr double nearly = 1.01;
constexpr int turns = 5;
/// What a child writes: a document, or a refusal behind this word.
constexpr std::string_view refusal_word = "refused: ";

Result<Network> network_of(const std::string& name, const Target& target) {
  const auto known = std::ranges::find(corpus(), name, &CorpusNetwork::name);
  if (known == corpus().end()) return Error{name + ": no network of the corpus"};
  Result<Graph> graph = corpus_graph(*known);
  if (!graph) return graph.error();
  PriorDrafts drafts;
  return extract_network(*std::move(graph), target, drafts);
}

/// Adds what has changed since it was last looked at.
void follow(const TuningRun& run, std::vector<std::string>& best, SearchTrace& trace) {
  best.resize(run.tasks.size());
  for (std::size_t n = 0; n < best.size(); ++n) {
    const std::string& schedule = run.tasks[n].schedule;
    if (schedule == best[n]) continue;
    best[n] = schedule;
    trace.changes.push_back({run.elapsed_seconds, run.trials(), n, schedule});
  }
}

Result<SearchTrace> search_here(const RaceEntry& entry, const Target& target,
                                const std::string& version) {
  const Result<Network> network = network_of(entry.network, target);
  if (!network) return network.error();
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  Result<RecordStore> store = RecordStore::open((folder->path() / "store.db").string());
  if (!store) return store.error();
  const std::unique_ptr<Backend> backend = llvm_backend();
  const bool is_ranked = entry.cost_model != "none";
  SearchTrace trace;
  std::vector<std::string> best;
  TuneOptions options;
  options.budget_seconds = 0;
  options.budget_trials = entry.trials;
  options.sampler = is_ranked ? "evolve" : "random";
  options.cost_model = is_ranked ? entry.cost_model : "prior";
  options.weights_folder = entry.weights_folder;
  options.seed = entry.seed;
  options.measure.threads = target.cores;
  options.version = version;
  options.progress = [&](const TuningRun& run) { follow(run, best, trace); };
  Result<Tuner> tuner = Tuner::make(*network, target, *backend, *store, TuningRun(), options);
  if (!tuner) return tuner.error();
  if (const auto done = tuner->tune(); !done) return done.error();
  for (const TaskProgress& task : tuner->run().tasks) {
    if (task.schedule.empty()) return Error{task.title + ": no schedule that runs"};
    trace.calls.push_back(task.calls);
  }
  trace.elapsed_seconds = tuner->run().elapsed_seconds;
  trace.trials = tuner->run().trials();
  return trace;
}

double median_of(std::vector<double> values) {
  check(!values.empty(), "values");
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

template <typename Value>
double median_over(const std::vector<SearchCurve>& curves, const Value& value) {
  std::vector<double> values;
  for (const SearchCurve& curve : curves) values.push_back(std::invoke(value, curve));
  return median_of(std::move(values));
}

GoalReached reached(const std::vector<SearchCurve>& curves, double goal_seconds) {
  GoalReached goal;
  std::vector<double> trials, seconds;
  for (const SearchCurve& curve : curves) {
    const auto point = std::ranges::find_if(
        curve.points, [&](const CurvePoint& one) { return one.network_seconds <= goal_seconds; });
    std::optional<double>& of_run = goal.seconds_of_runs.emplace_back();
    if (point == curve.points.end()) continue;
    of_run = point->elapsed_seconds;
    trials.push_back(static_cast<double>(point->trials));
    seconds.push_back(point->elapsed_seconds);
  }
  goal.runs = trials.size();
  if (2 * goal.runs <= curves.size()) return goal;
  goal.trials = median_of(std::move(trials));
  goal.seconds = median_of(std::move(seconds));
  return goal;
}

/// The seconds of each of `schedules`, by turns.
Result<std::vector<double>> time_here(
    const std::string& name, const Target& target,
    const std::vector<std::pair<std::size_t, std::string>>& schedules) {
  const Result<Network> network = network_of(name, target);
  if (!network) return network.error();
  std::vector<Task> tasks;
  for (NetworkTask& one : tasks_of(*network, target)) tasks.push_back(std::move(one.task));
  const std::unique_ptr<Backend> backend = llvm_backend();
  Measurer measurer(std::move(tasks), *backend, {.threads = target.cores});
  std::vector<std::vector<double>> seconds(schedules.size());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t n = 0; n < schedules.size(); ++n) {
      const auto& [task, schedule] = schedules[n];
      const auto measured =
          measurer.measure(task, {schedule}, std::numeric_limits<double>::infinity());
      if (!measured) return measured.error();
      if (!measured->front().is_ok())
        return Error{name + ": a schedule that ran before: " + measured->front().reason};
      seconds[n].push_back(measured->front().best());
    }
  std::vector<double> medians;
  for (std::vector<double>& of_turns : seconds) medians.push_back(median_of(std::move(of_turns)));
  return medians;
}

/// What a child that gives a document or refuses has written.
Result<std::string> written_by(const std::function<Result<std::string>()>& act) {
  std::string text = in_child([&] {
    const Result<std::string> done = act();
    return done ? *done : std::string(refusal_word) + done.error().message;
  });
  if (text.starts_with(refusal_word)) return Error{text.substr(refusal_word.size())};
  return text;
}

}  // namespace

std::string to_json(const SearchTrace& trace) {
  JsonFields::Json changes = JsonFields::Json::array();
  for (const SearchTrace::Change& change : trace.changes)
    changes.push_back({{"elapsed_seconds", change.elapsed_seconds},
                       {"trials", change.trials},
                       {"task", change.task},
                       {"schedule", change.schedule}});
  return JsonFields::Json{{"calls", trace.calls},
                          {"elapsed_seconds", trace.elapsed_seconds},
                          {"trials", trace.trials},
                          {"changes", changes}}
      .dump(1);
}

Result<SearchTrace> parse_search_trace(const std::string& json) {
  JsonFields fields{std::string_view(json)};
  SearchTrace trace{.calls = fields.integers("calls"),
                    .changes = {},
                    .elapsed_seconds = fields.number("elapsed_seconds"),
                    .trials = fields.integer("trials")};
  std::vector<bool> is_known(trace.calls.size());
  for (const JsonFields::Json& object : fields.objects("changes")) {
    JsonFields one(object);
    const std::int64_t task = one.integer("task");
    trace.changes.push_back({.elapsed_seconds = one.number("elapsed_seconds"),
                             .trials = one.integer("trials"),
                             .task = static_cast<std::size_t>(task),
                             .schedule = one.text("schedule")});
    if (const std::optional<Error> refusal = one.refusal()) return *refusal;
    if (task < 0 || task >= std::ssize(is_known)) return Error{"a change of no task"};
    is_known[static_cast<std::size_t>(task)] = true;
  }
  if (const std::optional<Error> refusal = fields.refusal()) return *refusal;
  if (is_known.empty() || std::ranges::find(is_known, false) != is_known.end())
    return Error{"a task without a schedule"};
  return trace;
}

Result<SearchTrace> search_alone(const RaceEntry& entry, const Target& target,
                                 const std::string& version) {
  const Result<std::string> text = written_by([&]() -> Result<std::string> {
    const Result<SearchTrace> trace = search_here(entry, target, version);
    if (!trace) return trace.error();
    return to_json(*trace);
  });
  if (!text) return text.error();
  Result<SearchTrace> trace = parse_search_trace(*text);
  if (!trace) return Error{entry.network + ": the search of " + entry.cost_model + " has died"};
  return trace;
}

Result<ScheduleTimes> time_by_turns(const std::string& network, const Target& target,
                                    const std::vector<SearchTrace>& traces) {
  ScheduleTimes times;
  for (const SearchTrace& trace : traces)
    for (const SearchTrace::Change& change : trace.changes)
      times[{change.task, change.schedule}] = 0;
  std::vector<std::pair<std::size_t, std::string>> schedules;
  for (const auto& [schedule, seconds] : times) schedules.push_back(schedule);
  const Result<std::string> text = written_by([&]() -> Result<std::string> {
    const Result<std::vector<double>> seconds = time_here(network, target, schedules);
    if (!seconds) return seconds.error();
    return JsonFields::Json{{"seconds", *seconds}}.dump();
  });
  if (!text) return text.error();
  JsonFields fields{std::string_view(*text)};
  const std::vector<double> seconds = fields.numbers("seconds");
  if (fields.refusal() || seconds.size() != schedules.size())
    return Error{network + ": the process that measured has died"};
  for (std::size_t n = 0; n < schedules.size(); ++n) times[schedules[n]] = seconds[n];
  return times;
}

SearchCurve curve_of(const SearchTrace& trace, const ScheduleTimes& times) {
  SearchCurve curve{.points = {}, .elapsed_seconds = trace.elapsed_seconds};
  std::vector<std::optional<double>> best(trace.calls.size());
  for (const SearchTrace::Change& change : trace.changes) {
    best[change.task] = times.at({change.task, change.schedule});
    double sum = 0;
    for (std::size_t n = 0; n < best.size(); ++n)
      sum += static_cast<double>(trace.calls[n]) *
             best[n].value_or(std::numeric_limits<double>::infinity());
    if (sum < std::numeric_limits<double>::infinity())
      curve.points.push_back({change.elapsed_seconds, change.trials, sum});
  }
  check(!curve.points.empty(), "a schedule of each task");
  return curve;
}

std::optional<double> SearchCurve::seconds_after(std::int64_t trials) const {
  std::optional<double> seconds;
  for (const CurvePoint& point : points)
    if (point.trials <= trials) seconds = point.network_seconds;
  return seconds;
}

RaceResult compare_searches(const std::vector<SearchCurve>& curves,
                            const std::vector<SearchCurve>& others) {
  RaceResult result{.network = {},
                    .cost_model = {},
                    .runs = curves.size(),
                    .final_seconds = median_over(curves, &SearchCurve::final_seconds),
                    .other_final_seconds = median_over(others, &SearchCurve::final_seconds),
                    .other_elapsed_seconds = median_over(others, &SearchCurve::elapsed_seconds),
                    .goal = {},
                    .nearly = {}};
  result.goal = reached(curves, result.other_final_seconds);
  result.nearly = reached(curves, nearly * result.other_final_seconds);
  for (const std::int64_t trials : equal_trials) {
    const auto has_come = [&](const SearchCurve& curve) {
      return curve.seconds_after(trials).has_value();
    };
    if (!std::ranges::all_of(curves, has_come) || !std::ranges::all_of(others, has_come)) continue;
    const auto seconds = [&](const SearchCurve& curve) { return *curve.seconds_after(trials); };
    result.faster_after[trials] = median_over(others, seconds) / median_over(curves, seconds);
  }
  return result;
}

}  // namespace tessera
