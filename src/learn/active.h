#pragma once

#include "learn/platform.h"
#include "model/ranker.h"
#include "pick/picker.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// How a target is learned from some of its programs.
struct ActiveOptions {
  /// Shares of all programs that are measured at the end of each round, ascending, at most 1.
  std::vector<double> budgets = {0.01, 0.02, 0.05, 0.1, 0.2};
  bool learns_between = true;  // or picks for all rounds know nothing but the prior's estimates
  /// Of learning after each round, from the beginning; more where eight times through all that is
  /// measured are more, so that much data are learned from as well as little.
  std::int64_t steps = 300;
  std::int64_t model_width = RankerShape().model_width;
  std::uint64_t seed = 1;
  int threads = 1;
  std::function<bool()> is_stopped = {};  // asked between rounds and epochs
};

/// Where learning stands after a round.
struct ActiveRound {
  double budget = 0;
  std::size_t programs = 0;     // that were measured
  double measured_seconds = 0;  // of one run of each
  double best_inside = 0;       // the best of all over the best measured, the mean over tasks
  Ranking ranking = {};         // of networks held out, by what was learned
};

/// The programs of one target that are not held out, for all ways of picking.
struct TargetPrograms {
  std::string target;
  std::vector<EncodedList> lists;
  std::vector<Points> places;  // of each list, while nothing is learned
  std::vector<float> scales;   // of columns
  JudgeScores judge;           // by the networks held out
};

/// Refuses a target of which there are none. The data set outlives them.
Result<TargetPrograms> programs_of(const Dataset& data, const std::string& target, int threads);

/// Rounds of picking, measuring and learning: the times that a data set has are told for those
/// programs alone that a Picker asks for. A `mamba` learns; its last layer's inputs are the places
/// of programs, with a committee of heads on them. Refused when stopped.
Result<std::vector<ActiveRound>> learn_actively(const TargetPrograms& programs,
                                                const Picker& picker, const ActiveOptions& options);

}  // namespace tessera
