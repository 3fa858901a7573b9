#pragma once

#include "base/result.h"
#include "record/store.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera {

/// The task of the only fingerprint that starts so. Refuses with `--task` or whatever `subject` is.
Result<TaskEntry> find_task(const RecordStore& store, const std::string& subject,
                            const std::string& prefix);

/// What there is in a store.
struct StoreSummary {
  std::string path;
  std::int64_t size_bytes = 0;
  std::int64_t tasks = 0;
  std::int64_t records = 0;
  std::map<Outcome, std::int64_t> outcomes = {};
  std::map<std::string, std::int64_t> targets = {};  // records of each
};
Result<StoreSummary> summary_of(const RecordStore& store);
void print_table(const StoreSummary& summary);
nlohmann::ordered_json json_of(const StoreSummary& summary);

/// Records of one task, the fastest first, then those that failed.
struct TaskRecords {
  TaskEntry task;
  std::vector<Record> records;  // at most as many as asked for
  std::int64_t count = 0;       // of all
};
Result<TaskRecords> records_of(const RecordStore& store, const TaskEntry& task, std::int64_t limit);
void print_table(const TaskRecords& records);
nlohmann::ordered_json json_of(const TaskRecords& records);

/// Records of several tasks.
void print_table(const std::vector<Record>& records, bool with_schedules);
nlohmann::ordered_json json_of(const std::vector<Record>& records);

}  // namespace tessera
