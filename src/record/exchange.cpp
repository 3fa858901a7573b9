#include "record/exchange.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "record/compressed_lines.h"
#include "record/export_manifest.h"
#include "record/record_text.h"
#include "record/tvm_records.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

namespace tessera {
namespace {

std::string manifest_path(const std::string& folder) { return folder + "/manifest.json"; }
std::string tasks_path(const std::string& folder) { return folder + "/tasks.jsonl"; }

Error refused(const std::string& path, const std::error_code& problem) {
  return {path + ": " + problem.message()};
}

Result<ExportManifest> read_manifest(const std::string& folder) {
  const std::string path = manifest_path(folder);
  const Result<std::string> json = read_file(path);
  if (!json) return json.error();
  Result<ExportManifest> manifest = parse_export_manifest(*json);
  if (!manifest) return Error{path + ": " + manifest.error().message};
  return manifest;
}

/// Makes the folder, or takes from an earlier export what makes it one; gives its shards.
Result<std::vector<Shard>> prepare_folder(const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return refused(folder, problem);
  if (!std::filesystem::exists(manifest_path(folder), problem)) return std::vector<Shard>();
  Result<ExportManifest> earlier = read_manifest(folder);
  if (!earlier) return earlier.error();
  std::filesystem::remove(manifest_path(folder), problem);
  if (problem) return refused(manifest_path(folder), problem);
  return std::move(earlier->shards);
}

/// Takes away those files of an earlier export that the new one does not have.
Result<void> remove_stale(const std::string& folder, const std::vector<Shard>& earlier,
                          const std::vector<Shard>& present) {
  std::set<std::string> paths;
  for (const Shard& shard : present) paths.insert(shard.path());
  std::error_code problem;
  for (const Shard& shard : earlier) {
    if (paths.contains(shard.path())) continue;
    const std::filesystem::path file = folder + "/" + shard.path();
    std::filesystem::remove(file, problem);
    if (problem) return refused(file.string(), problem);
  }
  return {};
}

/// Task by task, which packs well, by time, and by identity where that is the same: the order of
/// adding differs between stores.
Result<std::vector<std::string>> lines_of(const RecordStore& store, const std::string& target,
                                          const std::set<std::string>& tasks) {
  using Keyed = std::tuple<std::string, std::int64_t, std::string, std::string>;
  std::vector<Keyed> keyed;
  const Result<void> done = store.visit({.target = target}, [&](const Record& record) {
    if (tasks.contains(record.task))
      keyed.emplace_back(record.task, record.time, identity(record), to_json_line(record));
    return true;
  });
  if (!done) return done.error();
  std::ranges::sort(keyed);
  std::vector<std::string> lines;
  for (Keyed& one : keyed) lines.push_back(std::move(std::get<3>(one)));
  return lines;
}

Result<Shard> write_shard(const RecordStore& store, const std::string& folder,
                          const std::string& target, const std::set<std::string>& tasks) {
  const Result<std::vector<std::string>> lines = lines_of(store, target, tasks);
  if (!lines) return lines.error();
  Shard shard{.target = target};
  const std::string path = folder + "/" + shard.path();
  std::error_code problem;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), problem);
  if (problem) return refused(path, problem);
  const std::string bytes = compress_lines(*lines);
  if (const Result<void> written = write_file(path, bytes); !written) return written.error();
  shard.records = static_cast<std::int64_t>(lines->size());
  shard.fingerprint = to_text(fingerprint(bytes));
  return shard;
}

/// Those of all shards, by fingerprint, one a line.
Result<std::string> task_lines(const RecordStore& store, const std::set<std::string>& tasks) {
  std::string lines;
  for (const std::string& fingerprint : tasks) {
    const Result<std::optional<TaskEntry>> task = store.task(fingerprint);
    if (!task) return task.error();
    if (*task) lines += to_json_line(**task) + "\n";
  }
  return lines;
}

/// The bytes of a file of an export, which are those it was written with.
Result<std::string> read_verified(const std::string& path, const std::string& expected) {
  Result<std::string> bytes = read_file(path);
  if (bytes && to_text(fingerprint(*bytes)) != expected)
    return Error{path + ": damaged: not the bytes that the manifest tells of"};
  return bytes;
}

/// By their fingerprints.
Result<std::map<std::string, TaskEntry>> read_tasks(const std::string& folder,
                                                    const ExportManifest& manifest) {
  const std::string path = tasks_path(folder);
  const Result<std::string> bytes = read_verified(path, manifest.tasks_fingerprint);
  if (!bytes) return bytes.error();
  std::map<std::string, TaskEntry> tasks;
  std::int64_t number = 0;
  for (const std::string& line : split_lines(*bytes)) {
    ++number;
    const Result<TaskEntry> task = parse_task_entry(line);
    if (!task)
      return Error{path + ": line " + std::to_string(number) + ": " + task.error().message};
    tasks.emplace(task->fingerprint, *task);
  }
  return tasks;
}

Result<std::vector<Record>> read_shard(const std::string& path, const Shard& shard,
                                       const std::map<std::string, TaskEntry>& tasks) {
  const Result<std::string> bytes = read_verified(path, shard.fingerprint);
  if (!bytes) return bytes.error();
  std::vector<Record> records;
  const Result<void> read =
      visit_compressed_lines(*bytes, [&](std::string_view line) -> Result<void> {
        Result<Record> record = parse_record(line);
        if (!record) return record.error();
        if (record->target != shard.target) return Error{"record of another target"};
        if (!tasks.contains(record->task)) return Error{"its task is not in tasks.jsonl"};
        records.push_back(*std::move(record));
        return {};
      });
  if (!read) return Error{path + ": " + read.error().message};
  if (std::ssize(records) != shard.records)
    return Error{path + ": has " + std::to_string(records.size()) + " records, expected " +
                 std::to_string(shard.records)};
  return records;
}

}  // namespace

Result<ExportCounts> export_records(const RecordStore& store, const std::string& folder,
                                    const RecordStore::Filter& filter, const std::string& version) {
  const Result<std::vector<RecordStore::Count>> counts = store.counts();
  if (!counts) return counts.error();
  const Result<std::vector<Shard>> earlier = prepare_folder(folder);
  if (!earlier) return earlier.error();
  std::map<std::string, std::set<std::string>> tasks_of_targets;
  std::set<std::string> tasks;
  for (const RecordStore::Count& count : *counts) {
    if (!filter.task.empty() && filter.task != count.task) continue;
    if (!filter.target.empty() && filter.target != count.target) continue;
    tasks_of_targets[count.target].insert(count.task);
    tasks.insert(count.task);
  }
  ExportManifest manifest = {.version = version};
  ExportCounts written;
  for (const auto& [target, tasks_of_target] : tasks_of_targets) {
    Result<Shard> shard = write_shard(store, folder, target, tasks_of_target);
    if (!shard) return shard.error();
    written.records += shard->records;
    manifest.shards.push_back(*std::move(shard));
  }
  std::ranges::sort(manifest.shards, {}, &Shard::path);
  const Result<std::string> lines = task_lines(store, tasks);
  if (!lines) return lines.error();
  if (const Result<void> done = write_file(tasks_path(folder), *lines); !done) return done.error();
  manifest.tasks = std::ssize(tasks);
  manifest.tasks_fingerprint = to_text(fingerprint(*lines));
  if (const Result<void> done = write_file(manifest_path(folder), to_json(manifest)); !done)
    return done.error();
  if (const Result<void> done = remove_stale(folder, *earlier, manifest.shards); !done)
    return done.error();
  written.tasks = manifest.tasks;
  written.shards = std::ssize(manifest.shards);
  return written;
}

Result<Export> read_export(const std::string& folder) {
  const Result<ExportManifest> manifest = read_manifest(folder);
  if (!manifest) return manifest.error();
  Result<std::map<std::string, TaskEntry>> tasks = read_tasks(folder, *manifest);
  if (!tasks) return tasks.error();
  Export all{.tasks = *std::move(tasks),
             .records = {},
             .fingerprint = to_text(fingerprint(to_json(*manifest)))};
  for (const Shard& shard : manifest->shards) {
    Result<std::vector<Record>> records = read_shard(folder + "/" + shard.path(), shard, all.tasks);
    if (!records) return records.error();
    std::ranges::move(*records, std::back_inserter(all.records));
  }
  return all;
}

Result<ImportCounts> import_records(RecordStore& store, const std::string& folder) {
  const Result<ExportManifest> manifest = read_manifest(folder);
  if (!manifest) return manifest.error();
  const Result<std::map<std::string, TaskEntry>> tasks = read_tasks(folder, *manifest);
  if (!tasks) return tasks.error();
  for (const Shard& shard : manifest->shards)  // all of them before the first is added
    if (const Result<std::string> bytes =
            read_verified(folder + "/" + shard.path(), shard.fingerprint);
        !bytes)
      return bytes.error();
  std::vector<TaskEntry> entries;
  for (const auto& [name, task] : *tasks) entries.push_back(task);
  ImportCounts counts;
  for (const Shard& shard : manifest->shards) {
    const std::string path = folder + "/" + shard.path();
    const Result<std::vector<Record>> records = read_shard(path, shard, *tasks);
    if (!records) return records.error();
    const Result<std::int64_t> added = store.add(entries, *records);
    if (!added) return added.error();
    counts.added += *added;
    counts.known += std::ssize(*records) - *added;
  }
  return counts;
}

Result<ImportCounts> merge_records(RecordStore& store, const std::string& other_path) {
  constexpr std::size_t batch = 1024;
  const Result<RecordStore> other = RecordStore::open_existing(other_path);
  if (!other) return other.error();
  Result<std::vector<TaskEntry>> tasks = other->tasks("");
  if (!tasks) return tasks.error();
  ImportCounts counts;
  std::vector<Record> waiting;
  const auto add = [&]() -> Result<void> {
    const Result<std::int64_t> added = store.add(*tasks, waiting);
    if (!added) return added.error();
    counts.added += *added;
    counts.known += std::ssize(waiting) - *added;
    waiting.clear();
    tasks->clear();  // from now on they are known
    return {};
  };
  Result<void> added;
  const Result<void> visited = other->visit({}, [&](const Record& record) {
    waiting.push_back(record);
    if (waiting.size() >= batch) added = add();
    return added.has_value();
  });
  if (!visited) return visited.error();
  if (added) added = add();
  if (!added) return added.error();
  return counts;
}

Result<ImportCounts> import_tvm_records(RecordStore& store, const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  const Result<TvmRecords> parsed = parse_tvm_records(*text);
  if (!parsed) return Error{path + ": " + parsed.error().message};
  const Result<std::int64_t> added = store.add(parsed->tasks, parsed->records);
  if (!added) return added.error();
  return ImportCounts{.added = *added, .known = std::ssize(parsed->records) - *added};
}

}  // namespace tessera
