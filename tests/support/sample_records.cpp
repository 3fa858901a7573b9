#include "support/sample_records.h"

#include "base/hash.h"

namespace tessera {

TaskEntry sample_task(std::int64_t number) {
  const std::string text = "matmul " + std::to_string(number) + "\n";
  return {.fingerprint = to_text(fingerprint(text)),
          .text = text,
          .family = number % 2 == 0 ? "even" : "odd",
          .sizes = {number, 64, 3}};
}

Record sample_record(std::int64_t task, double seconds, const std::string& target) {
  return {.task = sample_task(task).fingerprint,
          .target = target,
          .schedule = "split i [6]\nvector j \"µ\"\n",
          .choices = "tile=6x2 order=cols_outer",
          .origin = "random",
          .measurement = {.outcome = Outcome::Ok,
                          .reason = "",
                          .seconds = {2 * seconds, seconds, 3 * seconds},
                          .clock = Clock::Cpu,
                          .compile_seconds = 0.1,
                          .conditions = {.load = 0.3, .clock_ghz = std::nullopt, .celsius = 51.5}},
          .version = "0.1.0",
          .time = 1'700'000'000};
}

Record failed_record(std::int64_t task, const std::string& target) {
  Record record = sample_record(task, 1, target);
  record.measurement.outcome = Outcome::Crashed;
  record.measurement.reason = "signal 11";
  record.measurement.seconds = {};
  return record;
}

}  // namespace tessera
