#include "cli/store_views.h"

#include "base/text.h"
#include "record/record_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

/// Enough of a fingerprint to tell tasks apart.
std::string short_task(const std::string& fingerprint) { return fingerprint.substr(0, 12); }

std::string milliseconds(const Measurement& measurement) {
  return measurement.is_ok() ? fmt::format("{:.4f}", 1e3 * measurement.best()) : "-";
}

/// With the log beside it, which is part of it.
std::int64_t size_bytes_of(const std::string& path) {
  std::uintmax_t size = 0;
  std::error_code absent;
  for (const char* ending : {"", "-wal"})
    if (const std::uintmax_t part = std::filesystem::file_size(path + ending, absent); !absent)
      size += part;
  return static_cast<std::int64_t>(size);
}

bool is_before(const Record& one, const Record& two) {
  const Measurement& a = one.measurement;
  const Measurement& b = two.measurement;
  if (a.is_ok() && b.is_ok()) return a.best() < b.best();
  return a.is_ok() && !b.is_ok();
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split_lines(text)) out += "           " + line + "\n";
  return out;
}

Json json_of(const Record& record) {
  Json object = Json::parse(to_json_line(record));
  if (record.measurement.is_ok()) object["best_seconds"] = record.measurement.best();
  return object;
}

template <typename Text>
std::size_t widest(const std::vector<Record>& records, const Text& text_of) {
  std::size_t width = 0;
  for (const Record& record : records) width = std::max(width, text_of(record).size());
  return width;
}

}  // namespace

Result<TaskEntry> find_task(const RecordStore& store, const std::string& subject,
                            const std::string& prefix) {
  const Result<std::vector<TaskEntry>> tasks = store.tasks("");
  if (!tasks) return tasks.error();
  std::vector<TaskEntry> found;
  for (const TaskEntry& task : *tasks)
    if (task.fingerprint.starts_with(prefix)) found.push_back(task);
  if (found.empty()) return Error{subject + " " + prefix + ": no such task in " + store.path()};
  if (found.size() > 1)
    return Error{fmt::format("{} {}: {} tasks start so, as {} and {}", subject, prefix,
                             found.size(), short_task(found[0].fingerprint),
                             short_task(found[1].fingerprint))};
  return found[0];
}

Result<StoreSummary> summary_of(const RecordStore& store) {
  const Result<std::vector<TaskEntry>> tasks = store.tasks("");
  if (!tasks) return tasks.error();
  const Result<std::vector<RecordStore::Count>> counts = store.counts();
  if (!counts) return counts.error();
  StoreSummary summary = {
      .path = store.path(), .size_bytes = size_bytes_of(store.path()), .tasks = std::ssize(*tasks)};
  for (const RecordStore::Count& count : *counts)
    for (const auto& [outcome, number] : count.records) {
      summary.records += number;
      summary.outcomes[outcome] += number;
      summary.targets[count.target] += number;
    }
  return summary;
}

void print_table(const StoreSummary& summary) {
  fmt::print("store      {}, {:.2f} MB\n", summary.path,
             1e-6 * static_cast<double>(summary.size_bytes));
  fmt::print("tasks      {}\nrecords    {}\n", summary.tasks, summary.records);
  for (const auto& [outcome, number] : summary.outcomes)
    fmt::print("{:>10} {}\n", number, to_text(outcome));
  fmt::print("targets    {}\n", summary.targets.size());
  for (const auto& [target, number] : summary.targets) fmt::print("{:>10} {}\n", number, target);
}

Json json_of(const StoreSummary& summary) {
  Json outcomes = Json::object();
  for (const Outcome outcome : all_outcomes) {
    const auto found = summary.outcomes.find(outcome);
    outcomes[std::string(to_text(outcome))] = found == summary.outcomes.end() ? 0 : found->second;
  }
  Json targets = Json::array();
  for (const auto& [target, number] : summary.targets)
    targets.push_back({{"target", target}, {"records", number}});
  return {{"store", summary.path},  {"size_bytes", summary.size_bytes},
          {"tasks", summary.tasks}, {"records", summary.records},
          {"outcomes", outcomes},   {"targets", targets}};
}

Result<TaskRecords> records_of(const RecordStore& store, const TaskEntry& task,
                               std::int64_t limit) {
  TaskRecords out = {.task = task, .records = {}};
  const Result<void> done = store.visit({.task = task.fingerprint}, [&](const Record& record) {
    out.records.push_back(record);
    return true;
  });
  if (!done) return done.error();
  std::ranges::stable_sort(out.records, is_before);
  out.count = std::ssize(out.records);
  out.records.resize(static_cast<std::size_t>(std::min(limit, out.count)));
  return out;
}

void print_table(const TaskRecords& records) {
  fmt::print("task       {}\nfamily     {}\nsizes      {}\n{}", records.task.fingerprint,
             records.task.family, to_text(records.task.sizes), indented(records.task.text));
  fmt::print("records    {}, {} shown\n", records.count, records.records.size());
  const auto target_of = [](const Record& record) { return record.target; };
  const auto origin_of = [](const Record& record) { return record.origin; };
  const std::size_t target = widest(records.records, target_of);
  const std::size_t origin = std::max<std::size_t>(6, widest(records.records, origin_of));
  fmt::print("{:>10}  {:<13}  {:<{}}  {:<{}}  {}\n", "ms", "outcome", "target", target, "origin",
             origin, "choices");
  for (const Record& record : records.records) {
    const Measurement& measured = record.measurement;
    fmt::print("{:>10}  {:<13}  {:<{}}  {:<{}}  {}{}\n", milliseconds(measured),
               to_text(measured.outcome), record.target, target, record.origin, origin,
               record.choices, measured.is_ok() ? "" : "  # " + measured.reason);
  }
}

Json json_of(const TaskRecords& records) {
  return {{"task", Json::parse(to_json_line(records.task))},
          {"count", records.count},
          {"records", json_of(records.records)}};
}

void print_table(const std::vector<Record>& records, bool with_schedules) {
  const std::size_t target =
      std::max<std::size_t>(6, widest(records, [](const Record& record) { return record.target; }));
  fmt::print("{:>10}  {:<12}  {:<{}}  {}\n", "ms", "task", "target", target, "choices");
  for (const Record& record : records) {
    fmt::print("{:>10}  {:<12}  {:<{}}  {}\n", milliseconds(record.measurement),
               short_task(record.task), record.target, target, record.choices);
    if (with_schedules) fmt::print("{}", indented(record.schedule));
  }
}

Json json_of(const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(json_of(record));
  return list;
}

}  // namespace tessera
