#pragma once

#include "base/result.h"
#include "schedule/space.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// What a measured chain has to teach. The label is how much faster it is than the task's default
/// schedule, as a natural logarithm: 0 for the default itself, larger is better.
struct Lesson {
  const Task* task = nullptr;
  Space::Chain chain;
  double label = 0;
};

/// Scores schedules before they are measured; larger is better. Scores of different tasks do not
/// compare.
class CostModel {
 public:
  virtual ~CostModel() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<double> score(const Task& task,
                                    std::span<const Space::Chain* const> chains) const = 0;
  /// Learns from lessons on top of all it was given before.
  virtual void learn(std::vector<Lesson> lessons) = 0;
};

/// The analytic prior of the Space: learns nothing.
std::unique_ptr<CostModel> prior_model();
/// Gradient-boosted trees on `choice_features`, which correct the prior's estimate from what has
/// been measured; the prior itself until there is something to learn from.
std::unique_ptr<CostModel> gbdt_model(std::uint64_t seed);

/// `gbdt`, `prior`.
std::span<const std::string_view> cost_model_names();
/// Refuses an unknown name with the list of known ones.
Result<std::unique_ptr<CostModel>> make_cost_model(std::string_view name, std::uint64_t seed);

}  // namespace tessera
