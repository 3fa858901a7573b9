#include "record/record.h"

#include "base/hash.h"
#include "base/text.h"

#include <chrono>
#include <cmath>
#include <span>

namespace tessera {
namespace {

/// Fields one after the other, each with its size before it, so that no two lists of fields read
/// alike.
class FieldsText {
 public:
  void add(std::string_view text) { text_.append(std::to_string(text.size()) += ':') += text; }
  void add(double number) { add(number_text(number)); }
  void add(const std::optional<double>& number) {
    number ? add(*number) : add(std::string_view("absent"));
  }
  void add(std::span<const double> numbers) {
    add(std::to_string(numbers.size()));
    for (const double number : numbers) add(number);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Result<void> verify_fingerprint(const std::string& text) {
  if (is_fingerprint(text)) return {};
  return Error{"task \"" + text + "\": expected a fingerprint of 32 hexadecimal digits"};
}

struct NamedText {
  const char* name;
  const std::string& text;
};

Result<void> verify_utf8(std::initializer_list<NamedText> texts) {
  for (const auto& [name, text] : texts)
    if (!is_utf8(text)) return Error{std::string(name) + ": expected text in UTF-8"};
  return {};
}

Result<void> verify_numbers(const Measurement& measurement) {
  for (const double seconds : measurement.seconds)
    if (!(seconds >= 0) || !std::isfinite(seconds))
      return Error{"seconds " + number_text(seconds) + ": expected finite timings of at least 0"};
  const auto& [load, clock_ghz, celsius] = measurement.conditions;
  for (const std::optional<double>& number :
       {std::optional(measurement.compile_seconds), load, clock_ghz, celsius})
    if (number && !std::isfinite(*number))
      return Error{"measurement has " + number_text(*number) + ", expected finite numbers"};
  return {};
}

Result<void> verify(const Measurement& measurement) {
  if (measurement.is_ok() == measurement.seconds.empty())
    return Error{"outcome " + std::string(to_text(measurement.outcome)) + " with " +
                 std::to_string(measurement.seconds.size()) +
                 " timings, expected some if and only if ok"};
  return verify_numbers(measurement);
}

}  // namespace

std::int64_t seconds_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

std::string identity(const Record& record) {
  const Measurement& measured = record.measurement;
  FieldsText fields;
  for (const std::string* text :
       {&record.task, &record.target, &record.schedule, &record.choices, &record.origin})
    fields.add(std::string_view(*text));
  fields.add(to_text(measured.outcome));
  fields.add(std::string_view(measured.reason));
  fields.add(std::span<const double>(measured.seconds));
  fields.add(to_text(measured.clock));
  fields.add(measured.compile_seconds);
  fields.add(measured.conditions.load);
  fields.add(measured.conditions.clock_ghz);
  fields.add(measured.conditions.celsius);
  fields.add(std::string_view(record.version));
  fields.add(std::to_string(record.time));
  return to_text(fingerprint(fields.text()));
}

Result<void> verify(const Record& record) {
  if (Result<void> named = verify_fingerprint(record.task); !named) return named;
  if (record.target.empty()) return Error{"record without a target"};
  if (Result<void> readable = verify_utf8({{"target", record.target},
                                           {"schedule", record.schedule},
                                           {"choices", record.choices},
                                           {"origin", record.origin},
                                           {"reason", record.measurement.reason},
                                           {"version", record.version}});
      !readable)
    return readable;
  return verify(record.measurement);
}

Result<void> verify(const TaskEntry& task) {
  if (Result<void> named = verify_fingerprint(task.fingerprint); !named) return named;
  return verify_utf8({{"text", task.text}, {"family", task.family}});
}

}  // namespace tessera
