#pragma once

#include "base/stopwatch.h"
#include "extract/network.h"
#include "extract/tasks.h"
#include "record/tuning_run.h"
#include "search/allocation.h"
#include "search/explorer.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

struct TuneOptions {
  double budget_seconds = 300;     // for sampling and measuring; 0 when only trials count
  std::int64_t budget_trials = 0;  // 0 when only time counts
  std::string sampler = "evolve";
  std::string cost_model = "trees";
  std::string weights_folder = {};  // of trained cost models
  std::uint64_t seed = 1;
  std::size_t round_size = 16;  // candidates of one task measured together
  /// The same when a task has its first turn: what a good model takes for the fastest mostly is, so
  /// all tasks come first and more of each later.
  std::size_t first_round_size = 4;
  MeasureOptions measure = {};
  std::string version = {};                             // of the program, for records
  std::function<bool()> is_stopped = {};                // asked between rounds
  std::function<void(const TuningRun&)> progress = {};  // called when something has changed
};

/// Explores the tasks of a network and spends its budget where the network gains most. Another run
/// goes on where this one ended.
class Tuner {
 public:
  /// To be made while this process has one thread. `run` has the facts of the run that the caller
  /// knows; the Tuner adds what it finds. Refuses unknown names and a store that cannot be read.
  static Result<Tuner> make(const Network& network, const Target& target, const Backend& backend,
                            RecordStore& store, TuningRun run, TuneOptions options);

  /// Until the budget is used up, it is stopped, or nothing is left to try.
  Result<void> tune();
  /// The fastest of each task measured again beside the default, so that no lucky timing wins.
  Result<void> confirm();

  const TuningRun& run() const { return run_; }
  /// The `rank`-th fastest schedule of each task, or the last one that there is; the default where
  /// nothing runs.
  std::vector<Schedule> schedules(std::size_t rank) const;
  std::vector<Schedule> untuned_schedules() const;
  const std::vector<NetworkTask>& tasks() const { return tasks_; }

 private:
  Tuner(const Network& network, std::vector<NetworkTask> tasks, Explorer explorer,
        std::unique_ptr<Sampler> sampler, TuningRun run, TuneOptions options);

  Result<void> round(std::size_t task);
  /// Counts what was measured of a task and shows where it stands.
  void note(std::size_t task, const std::vector<Measurement>& measured, bool is_round);
  bool is_over() const;

  TuneOptions options_;
  std::vector<NetworkTask> tasks_;
  Explorer explorer_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<TaskHistory> histories_;
  TuningRun run_;
  Stopwatch stopwatch_;
};

}  // namespace tessera
