#include "search/plan_records.h"

#include "measure/conditions.h"
#include "search/seeds.h"

#include <map>
#include <optional>

namespace tessera {
namespace {

/// What the store has for one task.
Result<std::optional<Record>> chosen_record(const RecordStore& store, const Task& task,
                                            const std::string& key) {
  const RecordStore::Filter filter{.task = to_text(fingerprint(task)),
                                   .target = to_text(task.target)};
  std::optional<Record> planned;
  const auto done = store.visit(filter, [&](const Record& record) {
    if (record.origin == std::string(plan_origin) + key) planned = record;
    return true;
  });
  if (!done) return done.error();
  if (planned) return planned;
  Result<std::vector<Record>> best = store.best(filter);
  if (!best) return best.error();
  if (best->empty()) return std::optional<Record>();
  return std::optional(std::move(best->front()));
}

}  // namespace

std::string network_key(const std::vector<NetworkTask>& tasks) {
  std::map<std::size_t, std::string> of_call;
  for (const NetworkTask& one : tasks)
    for (const std::size_t call : one.calls) of_call[call] = to_text(fingerprint(one.task));
  std::string text;
  for (const auto& [call, task] : of_call) text += task + "\n";
  return to_text(fingerprint(text));
}

Result<void> record_plan(RecordStore& store, const std::vector<NetworkTask>& tasks,
                         const std::vector<Schedule>& schedules, const std::vector<double>& seconds,
                         const std::string& version) {
  const std::string origin = std::string(plan_origin) + network_key(tasks);
  std::vector<TaskEntry> entries;
  std::vector<Record> records;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    entries.push_back(entry_of(tasks[n].task));
    records.push_back({.task = entries.back().fingerprint,
                       .target = to_text(tasks[n].task.target),
                       .schedule = to_text(schedules[n]),
                       .choices = {},
                       .origin = origin,
                       .measurement = {.seconds = {seconds[n]}, .conditions = conditions_now()},
                       .version = version,
                       .time = seconds_now()});
  }
  if (const auto added = store.add(entries, records); !added) return added.error();
  return {};
}

Result<std::vector<Schedule>> recorded_schedules(const RecordStore& store,
                                                 const std::vector<NetworkTask>& tasks) {
  const std::string key = network_key(tasks);
  std::vector<Schedule> schedules;
  for (const NetworkTask& one : tasks) {
    const std::string name = "task " + to_text(fingerprint(one.task));
    const Result<std::optional<Record>> record = chosen_record(store, one.task, key);
    if (!record) return record.error();
    if (!*record)
      return Error{store.path() + ": " + name + " has no record for " + to_text(one.task.target) +
                   "; tune the network first"};
    Result<Schedule> schedule = parse_schedule((*record)->schedule);
    const Result<Program> program =
        schedule ? tessera::apply(*schedule, to_program(one.task.computation))
                 : Result<Program>(schedule.error());
    if (!program)
      return Error{store.path() + ": " + name + ": its schedule no longer applies: " +
                   program.error().message + "; tune the network again"};
    schedules.push_back(*std::move(schedule));
  }
  return schedules;
}

}  // namespace tessera
