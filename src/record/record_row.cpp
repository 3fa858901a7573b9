#include "record/record_row.h"

#include "base/text.h"
#include "record/json_fields.h"
#include "record/sqlite.h"

namespace tessera {
namespace {

using Json = JsonFields::Json;

std::optional<double> best_seconds(const Measurement& measurement) {
  if (!measurement.is_ok()) return std::nullopt;
  return measurement.best();
}

/// A list of JSON, all of whose elements are of one kind.
template <typename T>
std::optional<std::vector<T>> parse_list(const std::string& text, bool (Json::*is_kind)() const) {
  const Json list = parse_json(text);
  if (!list.is_array()) return std::nullopt;
  for (const Json& item : list)
    if (!(item.*is_kind)()) return std::nullopt;
  return list.get<std::vector<T>>();
}

Error unknown(const char* field, const std::string& text) {
  return {std::string(field) + " \"" + text + "\": no such " + field};
}

}  // namespace

const char* const record_columns =
    "task.fingerprint, target.text, schedule, choices, origin, outcome, reason, seconds, clock, "
    "compile_seconds, load, clock_ghz, celsius, version, time, record.id, identity, best_seconds";

const char* const task_columns = "fingerprint, text, family, sizes";

const char* const insert_record =
    "INSERT INTO record(identity, task, target, schedule, choices, origin, outcome, reason, "
    "seconds, best_seconds, clock, compile_seconds, load, clock_ghz, celsius, version, time) "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(identity) DO NOTHING";

void bind(Statement& insert, const Record& record, const RecordKeys& keys) {
  const Measurement& measured = record.measurement;
  insert.bind(0, identity(record)).bind(1, keys.task).bind(2, keys.target);
  insert.bind(3, record.schedule).bind(4, record.choices).bind(5, record.origin);
  insert.bind(6, to_text(measured.outcome)).bind(7, measured.reason);
  insert.bind(8, Json(measured.seconds).dump()).bind(9, best_seconds(measured));
  insert.bind(10, to_text(measured.clock)).bind(11, measured.compile_seconds);
  insert.bind(12, measured.conditions.load).bind(13, measured.conditions.clock_ghz);
  insert.bind(14, measured.conditions.celsius);
  insert.bind(15, record.version).bind(16, record.time);
}

Result<Record> read_record(const Statement& row) {
  const std::optional<Outcome> outcome = parse_outcome(row.text(5));
  if (!outcome) return unknown("outcome", row.text(5));
  const std::optional<Clock> clock = parse_clock(row.text(8));
  if (!clock) return unknown("clock", row.text(8));
  std::optional<std::vector<double>> seconds = parse_list<double>(row.text(7), &Json::is_number);
  if (!seconds) return Error{"seconds: expected a list of numbers"};
  Record record = {.task = row.text(0),
                   .target = row.text(1),
                   .schedule = row.text(2),
                   .choices = row.text(3),
                   .origin = row.text(4),
                   .measurement = {.outcome = *outcome,
                                   .reason = row.text(6),
                                   .seconds = *std::move(seconds),
                                   .clock = *clock,
                                   .compile_seconds = row.number(9),
                                   .conditions = {.load = row.optional_number(10),
                                                  .clock_ghz = row.optional_number(11),
                                                  .celsius = row.optional_number(12)}},
                   .version = row.text(13),
                   .time = row.integer(14)};
  if (const Result<void> sound = verify(record); !sound) return sound.error();
  return record;
}

Result<TaskEntry> read_task(const Statement& row) {
  std::optional<std::vector<std::int64_t>> sizes =
      parse_list<std::int64_t>(row.text(3), &Json::is_number_integer);
  if (!sizes) return Error{"sizes: expected a list of integers"};
  return TaskEntry{.fingerprint = row.text(0),
                   .text = row.text(1),
                   .family = row.text(2),
                   .sizes = *std::move(sizes)};
}

Result<void> check_record(const Statement& row) {
  const Result<Record> record = read_record(row);
  if (!record) return record.error();
  if (row.text(16) != identity(*record)) return Error{"identity: not that of the record"};
  if (row.optional_number(17) != best_seconds(record->measurement))
    return Error{"best_seconds: not those of the record"};
  return {};
}

std::string record_number(const Statement& row) { return row.text(15); }

}  // namespace tessera
