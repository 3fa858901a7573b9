#pragma once

#include "measure/measurer.h"
#include "record/store.h"
#include "search/sampler.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// Some tasks and what is known of them. A round samples candidates of one, measures, records and
/// learns from them: what was measured is in the store when the round ends, and what the store has
/// of these tasks counts as measured. The same seed and timings give the same candidates.
class Explorer {
 public:
  struct Options {
    std::string cost_model = "trees";
    std::string weights_folder = {};  // of trained cost models
    std::uint64_t seed = 1;
    bool has_seeds = true;  // begins with what did well elsewhere
    MeasureOptions measure = {};
    std::string version = {};  // of the program, for records
  };

  /// To be made while this process has one thread. Refuses an unknown cost model and a store that
  /// cannot be read.
  static Result<Explorer> make(std::vector<Task> tasks, const Backend& backend, RecordStore& store,
                               Options options);

  std::size_t size() const { return searches_.size(); }
  const TaskSearch& search(std::size_t task) const { return searches_[task]; }
  TaskSearch& search(std::size_t task) { return searches_[task]; }
  /// Fingerprint of a task.
  const std::string& name(std::size_t task) const { return names_[task]; }
  std::int64_t outdated() const { return outdated_; }  // records that no longer apply

  /// Candidates for a round, at most `count`; none when there is nothing left to try.
  std::vector<Candidate> propose(std::size_t task, const Sampler& sampler, std::size_t count);
  /// Proposes and measures.
  Result<std::vector<Measurement>> round(std::size_t task, const Sampler& sampler,
                                         std::size_t count);
  /// Candidate 0, and the best that is known, under the conditions of now.
  Result<std::vector<Measurement>> measure_default(std::size_t task);
  /// Measures, records and learns. Runs are given up when they take much longer than the best.
  Result<std::vector<Measurement>> measure(std::size_t task, std::vector<Candidate> candidates,
                                           double best_seconds);

 private:
  Explorer(const std::vector<Task>& tasks, const Backend& backend, RecordStore& store,
           Options options);
  Result<void> recall_all();
  void learn(std::size_t task, const std::vector<Candidate>& candidates,
             const std::vector<Measurement>& measured);

  Options options_;
  RecordStore* store_;
  std::vector<TaskSearch> searches_;
  std::vector<std::string> names_;
  std::vector<Rng> rngs_;  // one per task: a task's candidates do not depend on others' turns
  std::unique_ptr<CostModel> model_;
  Measurer measurer_;
  std::int64_t outdated_ = 0;
};

}  // namespace tessera
