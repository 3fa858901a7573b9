#pragma once

#include "record/measurement.h"
#include "record/record.h"
#include "schedule/space.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// A chain proposed for measuring.
struct Candidate {
  Space::Chain chain;
  std::string origin;  // who proposed it
};

/// What is known of one task's schedules.
class TaskSearch {
 public:
  explicit TaskSearch(Task task);

  const Task& task() const { return space_.task(); }
  const Space& space() const { return space_; }
  /// The best by the prior: candidate 0.
  const Space::Chain& untuned() const { return untuned_; }

  /// A measured chain.
  struct Known {
    Space::Chain chain;
    std::string origin;
    Measurement measurement;
  };
  /// All that were measured and are ok, the fastest first.
  const std::vector<Known>& ranked() const { return ranked_; }
  /// Of the fastest; infinity when nothing is known.
  double best_seconds() const;
  std::optional<double> untuned_seconds() const { return untuned_seconds_; }
  bool has_measured(const Choices& choices) const { return measured_.contains(choices); }
  std::size_t measured_count() const { return measured_.size(); }

  /// Of a chain that was measured before the new measurement counts alone.
  void add(Candidate candidate, Measurement measurement);

  /// Keeps which chains were measured but not how long they took.
  void forget_timings();

  /// Chains that did well elsewhere and have not been measured here, the most promising first.
  std::vector<Candidate> seeds = {};

 private:
  Space space_;
  Space::Chain untuned_;
  std::set<Choices> measured_;
  std::vector<Known> ranked_;
  std::optional<double> untuned_seconds_;
};

}  // namespace tessera
