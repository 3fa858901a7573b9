#include "record/tuning_run.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t newest_format = 1;
// More than any run comes to, and so little that sums and products of such numbers are numbers.
constexpr double most_number = 1e18;
constexpr std::uint64_t most_integer = 1'000'000'000'000;

template <typename T>
Json list_of(const std::vector<T>& values, Json (*json_of)(const T&)) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

Json json_of(const TaskProgress& task) {
  return {{"task", task.task},
          {"title", task.title},
          {"calls", task.calls},
          {"flops", task.flops},
          {"traffic_bytes", task.traffic_bytes},
          {"untuned_seconds", task.untuned_seconds},
          {"best_seconds", task.best_seconds},
          {"trials", task.trials},
          {"trend", task.trend},
          {"schedule", task.schedule},
          {"choices", task.choices},
          {"origin", task.origin}};
}

Json json_of(const TuningRun::Point& point) {
  return {{"elapsed_seconds", point.elapsed_seconds},
          {"trials", point.trials},
          {"network_seconds", point.network_seconds}};
}

Json json_of(const Finalist& finalist) {
  return {{"name", finalist.name},
          {"median_ms", finalist.median_ms},
          {"p90_ms", finalist.p90_ms},
          {"min_ms", finalist.min_ms},
          {"runs", finalist.runs}};
}

/// What the machine did not tell is left out.
Json json_of(const Conditions& conditions) {
  Json json = Json::object();
  if (conditions.load) json["load"] = *conditions.load;
  if (conditions.clock_ghz) json["clock_ghz"] = *conditions.clock_ghz;
  if (conditions.celsius) json["celsius"] = *conditions.celsius;
  return json;
}

Json json_of(const std::map<Outcome, std::int64_t>& outcomes) {
  Json json = Json::object();
  for (const auto& [outcome, count] : outcomes) json[std::string(to_text(outcome))] = count;
  return json;
}

class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value of the document and the way to it, `tasks[3].trend[0]`.
class Field {
 public:
  Field(const Json& value, std::string path) : value_(value), path_(std::move(path)) {}

  Field at(const std::string& name) const {
    const Json& of = object();
    const auto found = of.find(name);
    if (found == of.end()) throw Refused(inner(name) + ": missing");
    return {*found, inner(name)};
  }
  bool has(const std::string& name) const { return object().contains(name); }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& item : object().items()) names.push_back(item.key());
    return names;
  }

  std::string text() const {
    if (!value_.is_string()) refuse("a text");
    return value_.get<std::string>();
  }
  double number() const {
    const double number = any_number();
    if (number < 0 || number > most_number) refuse("a number from 0 to 1e18");
    return number;
  }
  /// One that may be negative, as temperatures are.
  double any_number() const {
    if (!value_.is_number() || !std::isfinite(value_.get<double>())) refuse("a number");
    return value_.get<double>();
  }
  std::uint64_t unsigned_integer() const {
    if (!value_.is_number_unsigned()) refuse("an integer of 0 or more");
    return value_.get<std::uint64_t>();
  }
  std::int64_t integer() const {
    const std::uint64_t integer = unsigned_integer();
    if (integer > most_integer) refuse("an integer from 0 to 1e12");
    return static_cast<std::int64_t>(integer);
  }
  template <typename Read>
  auto list(const Read& read) const {
    if (!value_.is_array()) refuse("a list");
    std::vector<decltype(read(*this))> list;
    for (const Json& item : value_)
      list.push_back(read(Field(item, path_ + "[" + std::to_string(list.size()) + "]")));
    return list;
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    constexpr auto replace = Json::error_handler_t::replace;
    std::string found =
        value_.is_structured() ? std::string("a ") + kind() : value_.dump(-1, ' ', true, replace);
    if (found.size() > 40) found = found.substr(0, 40) + "..";
    throw Refused((path_.empty() ? "" : path_ + ": ") + "expected " + expected + ", found " +
                  found);
  }

 private:
  const char* kind() const { return value_.is_array() ? "list" : "group of fields"; }
  std::string inner(const std::string& name) const {
    return path_.empty() ? name : path_ + "." + name;
  }
  const Json& object() const {
    if (!value_.is_object()) refuse("a group of fields");
    return value_;
  }

  const Json& value_;
  std::string path_;
};

TaskProgress read_task(const Field& field) {
  return {field.at("task").text(),
          field.at("title").text(),
          field.at("calls").integer(),
          field.at("flops").number(),
          field.at("traffic_bytes").number(),
          field.at("untuned_seconds").number(),
          field.at("best_seconds").number(),
          field.at("trials").integer(),
          field.at("trend").list([](const Field& item) { return item.number(); }),
          field.at("schedule").text(),
          field.at("choices").text(),
          field.at("origin").text()};
}

TuningRun::Point read_point(const Field& field) {
  return {field.at("elapsed_seconds").number(), field.at("trials").integer(),
          field.at("network_seconds").number()};
}

Finalist read_finalist(const Field& field) {
  return {field.at("name").text(), field.at("median_ms").number(), field.at("p90_ms").number(),
          field.at("min_ms").number(), field.at("runs").integer()};
}

Conditions read_conditions(const Field& field) {
  Conditions conditions;
  if (field.has("load")) conditions.load = field.at("load").number();
  if (field.has("clock_ghz")) conditions.clock_ghz = field.at("clock_ghz").number();
  if (field.has("celsius")) conditions.celsius = field.at("celsius").any_number();
  return conditions;
}

std::map<Outcome, std::int64_t> read_outcomes(const Field& field) {
  std::map<Outcome, std::int64_t> outcomes;
  for (const std::string& name : field.names()) {
    const std::optional<Outcome> outcome = parse_outcome(name);
    if (!outcome) throw Refused("outcomes." + name + ": no such outcome");
    outcomes[*outcome] = field.at(name).integer();
  }
  return outcomes;
}

void read_settings(const Field& field, TuningRun& run) {
  run.model = field.at("model").text();
  run.target = field.at("target").text();
  run.threads = field.at("threads").integer();
  run.sampler = field.at("sampler").text();
  run.cost_model = field.at("cost_model").text();
  run.seed = field.at("seed").unsigned_integer();
  run.budget_seconds = field.at("budget_seconds").number();
  run.budget_trials = field.at("budget_trials").integer();
  run.version = field.at("version").text();
  run.machine = field.at("machine").text();
  run.started = field.at("started").text();
  run.conditions = read_conditions(field.at("conditions"));
}

void read_findings(const Field& field, TuningRun& run) {
  run.phase = field.at("phase").text();
  run.elapsed_seconds = field.at("elapsed_seconds").number();
  run.outcomes = read_outcomes(field.at("outcomes"));
  run.known = field.at("known").integer();
  run.outdated = field.at("outdated").integer();
  run.peak_flops_per_second = field.at("peak_flops_per_second").number();
  run.tasks = field.at("tasks").list(read_task);
  run.curve = field.at("curve").list(read_point);
  run.finalists = field.at("finalists").list(read_finalist);
  run.winner = field.at("winner").text();
  run.package = field.at("package").text();
  if (!run.winner.empty() &&
      std::ranges::find(run.finalists, run.winner, &Finalist::name) == run.finalists.end())
    field.at("winner").refuse("the name of a finalist");
}

TuningRun read_whole(const Field& field) {
  if (const std::int64_t format = field.at("format").integer(); format != newest_format)
    field.at("format").refuse(std::to_string(newest_format) +
                              ", the newest that this version reads");
  TuningRun run;
  read_settings(field, run);
  read_findings(field, run);
  return run;
}

/// `REASON` of `[json.exception.KIND.NUMBER] REASON`.
std::string without_code(const std::string& what) {
  const std::size_t end = what.find("] ");
  return end == std::string::npos ? what : what.substr(end + 2);
}

double sum_over(const std::vector<TaskProgress>& tasks, double TaskProgress::* seconds) {
  return std::accumulate(tasks.begin(), tasks.end(), 0.0,
                         [&](double sum, const TaskProgress& task) {
                           return sum + static_cast<double>(task.calls) * task.*seconds;
                         });
}

}  // namespace

std::int64_t TuningRun::trials() const {
  return std::accumulate(
      tasks.begin(), tasks.end(), std::int64_t{0},
      [](std::int64_t sum, const TaskProgress& task) { return sum + task.trials; });
}

double TuningRun::untuned_seconds() const {
  return sum_over(tasks, &TaskProgress::untuned_seconds);
}
double TuningRun::best_seconds() const { return sum_over(tasks, &TaskProgress::best_seconds); }

std::string to_json(const TuningRun& run) {
  const Json json = {{"format", newest_format},
                     {"model", run.model},
                     {"target", run.target},
                     {"threads", run.threads},
                     {"sampler", run.sampler},
                     {"cost_model", run.cost_model},
                     {"seed", run.seed},
                     {"budget_seconds", run.budget_seconds},
                     {"budget_trials", run.budget_trials},
                     {"version", run.version},
                     {"machine", run.machine},
                     {"started", run.started},
                     {"conditions", json_of(run.conditions)},
                     {"phase", run.phase},
                     {"elapsed_seconds", run.elapsed_seconds},
                     {"outcomes", json_of(run.outcomes)},
                     {"known", run.known},
                     {"outdated", run.outdated},
                     {"peak_flops_per_second", run.peak_flops_per_second},
                     {"tasks", list_of<TaskProgress>(run.tasks, json_of)},
                     {"curve", list_of<TuningRun::Point>(run.curve, json_of)},
                     {"finalists", list_of<Finalist>(run.finalists, json_of)},
                     {"winner", run.winner},
                     {"package", run.package}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<TuningRun> parse_tuning_run(std::string_view json) {
  try {
    return read_whole(Field(Json::parse(json), ""));
  } catch (const Refused& problem) {
    return Error{problem.what()};
  } catch (const Json::parse_error& problem) {
    return Error{"not JSON: damaged or cut off at byte " + std::to_string(problem.byte)};
  } catch (const Json::exception& problem) {
    return Error{without_code(problem.what())};
  }
}

}  // namespace tessera
