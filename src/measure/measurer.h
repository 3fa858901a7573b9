#pragma once

#include "backend/backend.h"
#include "base/result.h"
#include "measure/fork_server.h"
#include "record/measurement.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct MeasureOptions {
  std::int64_t threads = 0;       // that candidates run on; 0 for all usable cores
  std::int64_t memory_bytes = 0;  // that a worker may take; 0 for half of what the machine has
  /// A run may take this many times the best one's time, and never less than the first figure.
  double shortest_limit_seconds = 2;
  double limit_ratio = 20;
  /// For code, for the plain loops, and for a run when nothing is known of the task.
  double patience_seconds = 120;
};

/// Measures candidates in a process of their own: one that crashes, hangs or takes too much memory
/// has that Outcome, and the others go on.
class Measurer {
 public:
  /// To be made while this process has one thread. Throws `std::system_error` when there can be no
  /// further process.
  Measurer(std::vector<Task> tasks, const Backend& backend, const MeasureOptions& options = {});

  /// One per schedule, in order. Refused only when no process can be had to measure in.
  Result<std::vector<Measurement>> measure(std::size_t task,
                                           const std::vector<std::string>& schedules,
                                           double best_seconds);

  /// Workers that have been started: one more than were lost.
  std::int64_t workers_started() const { return workers_started_; }
  std::optional<pid_t> worker_process() const;

 private:
  struct Progress;
  Result<void> attempt(Progress& progress, std::size_t first, std::size_t count);
  void lose_worker(Progress& progress, bool is_here);
  double limit_for(double best_seconds) const;

  std::unique_ptr<const std::vector<Task>> tasks_;  // where the server's children find them
  MeasureOptions options_;
  ForkServer server_;
  std::optional<ForkServer::Child> worker_;
  std::int64_t workers_started_ = 0;
};

}  // namespace tessera
