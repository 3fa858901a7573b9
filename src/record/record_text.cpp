#include "record/record_text.h"

#include "record/json_fields.h"

namespace tessera {
namespace {

using Json = JsonFields::Json;

void add_present(Json& object, const char* name, const std::optional<double>& number) {
  if (number) object[name] = *number;
}

template <typename Value, typename Parse>
Value read_word(JsonFields& fields, const char* name, const Parse& parse) {
  const std::string word = fields.text(name);
  const std::optional<Value> value = parse(word);
  if (!value) fields.refuse(std::string(name) + " \"" + word + "\": no such " + name);
  return value.value_or(Value{});
}

Measurement read_measurement(JsonFields& fields) {
  return {.outcome = read_word<Outcome>(fields, "outcome", parse_outcome),
          .reason = fields.optional_text("reason").value_or(""),
          .seconds = fields.numbers("seconds"),
          .clock = read_word<Clock>(fields, "clock", parse_clock),
          .compile_seconds = fields.number("compile_seconds"),
          .conditions = {.load = fields.optional_number("load"),
                         .clock_ghz = fields.optional_number("clock_ghz"),
                         .celsius = fields.optional_number("celsius")}};
}

/// `value`, unless a field was refused or the whole is.
template <typename T>
Result<T> verified(T value, JsonFields& fields) {
  if (const std::optional<Error> refusal = fields.refusal()) return *refusal;
  if (const Result<void> sound = verify(value); !sound) return sound.error();
  return value;
}

}  // namespace

std::string to_json_line(const Record& record) {
  const Measurement& measured = record.measurement;
  Json object = {{"task", record.task},         {"target", record.target},
                 {"schedule", record.schedule}, {"choices", record.choices},
                 {"origin", record.origin},     {"outcome", to_text(measured.outcome)}};
  if (!measured.reason.empty()) object["reason"] = measured.reason;
  object["seconds"] = measured.seconds;
  object["clock"] = to_text(measured.clock);
  object["compile_seconds"] = measured.compile_seconds;
  add_present(object, "load", measured.conditions.load);
  add_present(object, "clock_ghz", measured.conditions.clock_ghz);
  add_present(object, "celsius", measured.conditions.celsius);
  object["version"] = record.version;
  object["time"] = record.time;
  return object.dump();
}

std::string to_json_line(const TaskEntry& task) {
  const Json object = {{"fingerprint", task.fingerprint},
                       {"text", task.text},
                       {"family", task.family},
                       {"sizes", task.sizes}};
  return object.dump();
}

Result<Record> parse_record(std::string_view line) {
  JsonFields fields(line);
  Record record = {.task = fields.text("task"),
                   .target = fields.text("target"),
                   .schedule = fields.text("schedule"),
                   .choices = fields.text("choices"),
                   .origin = fields.text("origin"),
                   .measurement = read_measurement(fields),
                   .version = fields.text("version"),
                   .time = fields.integer("time")};
  return verified(std::move(record), fields);
}

Result<TaskEntry> parse_task_entry(std::string_view line) {
  JsonFields fields(line);
  TaskEntry task = {.fingerprint = fields.text("fingerprint"),
                    .text = fields.text("text"),
                    .family = fields.text("family"),
                    .sizes = fields.integers("sizes")};
  return verified(std::move(task), fields);
}

}  // namespace tessera
