#pragma once

#include "base/result.h"
#include "record/record.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Many Records, append-only, in one file that several processes may use at once; one object is for
/// one thread at a time. What `add` has taken survives whatever happens to the process. Every
/// refusal is `PATH: reason`.
class RecordStore {
 public:
  /// How long others may keep the file before what wants to write is refused.
  static constexpr std::chrono::milliseconds default_patience{10'000};

  /// Makes the file and its folder when there is none. Refuses a file that is not a store, and one
  /// that a newer version has written; neither is changed.
  static Result<RecordStore> open(const std::string& path,
                                  std::chrono::milliseconds patience = default_patience);
  /// The same, and refuses when there is no file.
  static Result<RecordStore> open_existing(const std::string& path,
                                           std::chrono::milliseconds patience = default_patience);

  RecordStore(RecordStore&&) noexcept;
  RecordStore& operator=(RecordStore&&) noexcept;
  ~RecordStore();

  const std::string& path() const;

  /// All or none; gives how many records were new. Refuses what `verify` refuses, and records of a
  /// task that is neither known nor among `tasks`. Of a known task, the text, family and sizes that
  /// were added last stand.
  Result<std::int64_t> add(std::span<const TaskEntry> tasks, std::span<const Record> records);

  /// Of all or of one task, of all or of one target. Empty text stands for all.
  struct Filter {
    std::string task = {};
    std::string target = {};
  };
  /// In the order in which they were added, until `visit` says no; it may not add.
  Result<void> visit(const Filter& filter, const std::function<bool(const Record&)>& visit) const;
  /// The fastest that is ok of each task and target, by its shortest timing; the older of equals.
  Result<std::vector<Record>> best(const Filter& filter) const;
  Result<std::optional<TaskEntry>> task(const std::string& fingerprint) const;
  /// Of one family, or of all when the text is empty.
  Result<std::vector<TaskEntry>> tasks(const std::string& family) const;

  /// How many records a task has on a target, by outcome.
  struct Count {
    std::string task;
    std::string target;
    std::map<Outcome, std::int64_t> records;
  };
  Result<std::vector<Count>> counts() const;

  /// Takes away all records of a task and target but the `keep` fastest that are ok and those of
  /// plans; gives how many went.
  Result<std::int64_t> prune(const Filter& filter, std::int64_t keep);
  /// Reads all of the file and says what is wrong with it.
  Result<void> check() const;

 private:
  struct State;
  explicit RecordStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tessera
