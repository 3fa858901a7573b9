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
  /// Learns from lessons on top of all it was given before; what takes long goes on in the
  /// background, and shows in scores after a later call.
  virtual void learn(std::vector<Lesson> lessons) = 0;
};

/// The analytic prior of the Space: learns nothing.
std::unique_ptr<CostModel> prior_model();
/// Another model, corrected by what has been measured: boosted trees on `choice_features` learn
/// what it leaves to explain, in the background and for a tenth of the time at most. The other
/// model itself until there is something to learn from.
std::unique_ptr<CostModel> corrected_model(std::unique_ptr<CostModel> base, std::uint64_t seed);

struct CostModelOptions {
  std::uint64_t seed = 1;
  int threads = 1;                  // that score
  std::string weights_folder = {};  // where trained models are
};

/// `mamba`, `tlp`, `tenset-mlp` and `gbdt` have been trained before; `trees` begins with the prior.
/// All these are corrected by what is measured. `prior` never learns.
std::span<const std::string_view> cost_model_names();
/// Whether it has been trained before, and may fail for its weights.
bool is_trained(std::string_view name);
/// Refuses an unknown name with the list of known ones, and weights that are missing, damaged or of
/// another version.
Result<std::unique_ptr<CostModel>> make_cost_model(std::string_view name,
                                                   const CostModelOptions& options);

}  // namespace tessera
