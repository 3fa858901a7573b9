#include "record/tvm_records.h"

#include "base/hash.h"
#include "base/text.h"
#include "record/json_fields.h"

#include <array>
#include <set>

namespace tessera {
namespace {

using Json = JsonFields::Json;

/// TVM's MeasureErrorNO, by number.
struct TvmError {
  Outcome outcome;
  const char* name;
};
constexpr std::array<TvmError, 9> errors = {{{Outcome::Ok, ""},
                                             {Outcome::Refused, "instantiation error"},
                                             {Outcome::Refused, "compile error on the host"},
                                             {Outcome::Refused, "compile error on the device"},
                                             {Outcome::Crashed, "runtime error on the device"},
                                             {Outcome::WrongResult, "wrong answer"},
                                             {Outcome::TimedOut, "build timeout"},
                                             {Outcome::TimedOut, "run timeout"},
                                             {Outcome::Crashed, "unknown error"}}};

bool is_list(const Json& value, bool (*is_item)(const Json&)) {
  if (!value.is_array()) return false;
  for (const Json& item : value)
    if (!is_item(item)) return false;
  return true;
}
bool is_integer(const Json& value) { return value.is_number_integer(); }
bool is_number(const Json& value) { return value.is_number(); }
bool is_array(const Json& value) { return value.is_array(); }

/// All integers, from left to right, however deep.
std::vector<std::int64_t> integers_of(const Json& value) {
  if (is_integer(value)) return {value.get<std::int64_t>()};
  std::vector<std::int64_t> integers;
  if (value.is_array())
    for (const Json& item : value)
      for (const std::int64_t integer : integers_of(item)) integers.push_back(integer);
  return integers;
}

/// The key is a list in JSON, of a name and sizes, or a name alone.
TaskEntry task_of(const std::string& workload_key) {
  return {.fingerprint = to_text(fingerprint(workload_key)),
          .text = workload_key,
          .family = "tvm",
          .sizes = integers_of(parse_json(workload_key))};
}

std::optional<TvmStep::Argument> argument_of(const Json& value) {
  if (is_integer(value)) return value.get<std::int64_t>();
  if (value.is_string()) return value.get<std::string>();
  if (is_list(value, is_integer)) return value.get<std::vector<std::int64_t>>();
  return std::nullopt;
}

Result<TvmStep> step_of(const Json& value) {
  const Error unreadable = {"step " + value.dump() + ": expected [kind, stage, arguments ..]"};
  if (!value.is_array() || value.size() < 2 || !value[0].is_string() || !is_integer(value[1]))
    return unreadable;
  TvmStep step = {.kind = value[0].get<std::string>(), .stage = value[1].get<std::int64_t>()};
  for (std::size_t n = 2; n < value.size(); ++n) {
    std::optional<TvmStep::Argument> argument = argument_of(value[n]);
    if (!argument) return unreadable;
    step.arguments.push_back(*std::move(argument));
  }
  return step;
}

/// The text of the steps, which reads back as the same steps.
Result<std::string> schedule_of(const Json& steps) {
  std::string text;
  for (const Json& value : steps) {
    const Result<TvmStep> step = step_of(value);
    if (!step) return step.error();
    const std::string line = to_text(*step) + "\n";
    const Result<std::vector<TvmStep>> known = parse_tvm_steps(line);
    if (!known || *known != std::vector{*step})
      return Error{"step " + value.dump() + ": no such step of auto_scheduler"};
    text += line;
  }
  return text;
}

struct TvmLine {
  TaskEntry task;
  Record record;
};

/// `i`: [[workload key, target, hardware parameters, ..], [stages, steps]].
Result<TvmLine> read_input(const Json& input) {
  if (!is_list(input, is_array) || input.size() < 2) return Error{"\"i\": expected [task, state]"};
  const Json& task = input[0];
  const Json& state = input[1];
  if (task.size() < 3 || !task[0].is_string() || !task[1].is_string() ||
      !is_list(task[2], is_integer))
    return Error{"\"i\"[0]: expected [workload key, target, hardware parameters, ..]"};
  if (state.size() != 2 || !state[1].is_array()) return Error{"\"i\"[1]: expected [stages, steps]"};
  Result<std::string> schedule = schedule_of(state[1]);
  if (!schedule) return schedule.error();
  TvmLine line = {.task = task_of(task[0].get<std::string>()), .record = {}};
  line.record.task = line.task.fingerprint;
  line.record.target =
      task[1].get<std::string>() + " " + to_text(task[2].get<std::vector<std::int64_t>>());
  line.record.schedule = *std::move(schedule);
  return line;
}

/// `r`: [seconds, error number, seconds of all the work, time]. Failures have a huge number for
/// seconds.
Result<Measurement> read_result(const Json& result) {
  if (!result.is_array() || result.size() < 4 || !is_list(result[0], is_number) ||
      !is_integer(result[1]) || !is_integer(result[3]))
    return Error{"\"r\": expected [seconds, error number, seconds of all the work, time]"};
  const auto number = result[1].get<std::int64_t>();
  if (number < 0 || number >= std::ssize(errors))
    return Error{"error number " + std::to_string(number) + ": expected 0 to 8"};
  const TvmError& error = errors[static_cast<std::size_t>(number)];
  Measurement measurement = {.outcome = error.outcome, .reason = error.name};
  if (measurement.is_ok()) measurement.seconds = result[0].get<std::vector<double>>();
  return measurement;
}

Result<TvmLine> parse_line(std::string_view text) {
  const Json object = parse_json(text);
  if (!object.is_object() || !object.contains("i") || !object.contains("r"))
    return Error{"not a record of auto_scheduler: expected JSON with \"i\" and \"r\""};
  const Json version = object.value("v", Json());
  if (version != "v0.5" && version != "v0.6")
    return Error{"version " + version.dump() + ": expected \"v0.5\" or \"v0.6\""};
  Result<TvmLine> line = read_input(object["i"]);
  if (!line) return line;
  Result<Measurement> measurement = read_result(object["r"]);
  if (!measurement) return measurement.error();
  line->record.origin = "tvm";
  line->record.measurement = *std::move(measurement);
  line->record.version = "tvm " + version.get<std::string>();
  line->record.time = object["r"][3].get<std::int64_t>();
  if (const Result<void> sound = verify(line->record); !sound) return sound.error();
  return line;
}

}  // namespace

Result<TvmRecords> parse_tvm_records(std::string_view text) {
  TvmRecords all;
  std::set<std::string> known;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view written = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (written.empty()) continue;
    Result<TvmLine> line = parse_line(written);
    if (!line) return Error{"line " + std::to_string(number) + ": " + line.error().message};
    if (known.insert(line->task.fingerprint).second) all.tasks.push_back(std::move(line->task));
    all.records.push_back(std::move(line->record));
  }
  if (all.records.empty()) return Error{"no records"};
  return all;
}

}  // namespace tessera
