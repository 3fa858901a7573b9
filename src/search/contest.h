#pragma once

#include "backend/backend.h"
#include "base/result.h"
#include "extract/tasks.h"
#include "package/compile.h"
#include "record/tuning_run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Whole networks, each with a schedule for every task, measured beside each other: what is
/// fastest alone need not be so behind its neighbours.
class Contest {
 public:
  struct Options {
    std::int64_t threads = 0;
    std::string folder;  // where there is room for a package of each entry
  };

  Contest(const Network& network, const Target& target, const Backend& backend, Options options);
  ~Contest();
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  /// Compiles the network with one schedule per task, in the order of `tasks_of`.
  Result<void> enter(const std::string& name, std::vector<Schedule> schedules);
  /// For each task the schedule whose calls take least inside the networks entered so far.
  Result<std::vector<Schedule>> best_in_place();
  /// What a call of each task took inside one network when it was last run.
  std::vector<double> seconds_in_place(const std::string& name) const;
  /// Takes an entry back.
  void withdraw(const std::string& name);
  /// All entries by turns for about `seconds`, a few turns at least; in the order in which they
  /// were entered.
  Result<std::vector<Finalist>> compare(double seconds);
  /// Writes an entry as a package.
  Result<void> write(const std::string& name, const std::string& path) const;
  const std::vector<Schedule>& schedules_of(const std::string& name) const;

 private:
  struct Entry;
  const Entry& entry(const std::string& name) const;
  Result<void> run_by_turns(double seconds);
  /// Of all calls of a task together: the sum of their medians.
  double task_seconds(const Entry& entry, std::size_t task) const;

  const Network& network_;
  const Target& target_;
  const Backend& backend_;
  Options options_;
  std::vector<NetworkTask> tasks_;
  std::vector<Entry> entries_;
};

}  // namespace tessera
