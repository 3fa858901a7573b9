#pragma once

#include "learn/corpus.h"
#include "record/tuning_run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A search of one network under one cost model, from nothing.
struct RaceEntry {
  std::string network;     // of the corpus
  std::string cost_model;  // `none`: candidates are drawn, not ranked
  std::uint64_t seed = 1;
  std::int64_t trials = 2000;
  std::string weights_folder = {};  // of trained cost models
};

/// Searches in a process and with a store of its own; gives the run with its curve. Refuses what
/// the Tuner refuses.
Result<TuningRun> search_alone(const RaceEntry& entry, const Target& target,
                               const std::string& version);

/// Where a curve first is as fast as `network_seconds`; nothing when it never is.
std::optional<TuningRun::Point> first_within(const TuningRun& run, double network_seconds);

/// How many runs of one network and cost model did, beside the runs of another.
struct RaceResult {
  std::string network;
  std::string cost_model;
  double final_seconds = 0;  // of the network, median over seeds
  double goal_seconds = 0;   // what the other reached at its end, median over seeds
  std::size_t runs = 0;
  std::size_t reached = 0;  // of them
  /// Medians over the runs, when more than half have reached the goal.
  std::optional<double> trials_to_goal = {};
  std::optional<double> seconds_to_goal = {};
  double goal_run_seconds = 0;  // how long the other took for all its trials
};

RaceResult compare_runs(const std::vector<TuningRun>& runs, const std::vector<TuningRun>& others);

}  // namespace tessera
