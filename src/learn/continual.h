#pragma once

#include "learn/knowledge_base.h"
#include "pick/picker.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Learns one platform after the other.
class ContinualLearner {
 public:
  virtual ~ContinualLearner() = default;
  /// Refused when stopped.
  virtual Result<void> learn(const Platform& platform, const Measured& measured) = 0;
  virtual ScoreRows scores() const = 0;
  virtual std::unique_ptr<ContinualLearner> clone() const = 0;
  virtual std::size_t model_bytes() const = 0;      // with what protects it
  virtual std::size_t kept_data_bytes() const = 0;  // of measurements of former platforms
};

/// | name | |
/// |---|---|
/// | `distil` | `learn_platform`: a column learns, the base is distilled |
/// | `scratch` | each platform anew |
/// | `fine-tune` | goes on with the weights of the last platform |
/// | `joint` | all platforms so far at once, anew: the upper bound, keeps all data |
/// | `ewc` | `fine-tune`, held where weights mattered (Schwarz et al. 2018) |
/// | `lwf` | `fine-tune`, and to stay with what it said before (Li and Hoiem 2016) |
/// | `replay` | `fine-tune`, with 1 % of what was measured of former platforms |
/// | `mtl-tlp` | a `tlp` with a head for each platform, all data at once (Zhai et al. 2023) |
std::span<const std::string_view> continual_names();
Result<std::unique_ptr<ContinualLearner>> make_continual(std::string_view name,
                                                         const RankerShape& shape,
                                                         const DistilOptions& options);

/// Programs of each list by `rdu` without learning between, such a share of the pool in all and
/// four at least: the same for all ways of learning.
Measured pick_measured(const Platform& platform, double share, std::uint64_t seed);

/// What a learner reached, by the number of platforms that it had learned and by platform.
struct TransferMatrix {
  std::vector<double> untrained;          // of each platform
  std::vector<std::vector<double>> top1;  // [learned][platform]
  std::vector<double> seconds;            // of learning each

  double average() const;            // of all platforms at the end
  double backward_transfer() const;  // what later platforms gave former ones
  double forward_transfer() const;   // what former platforms gave later ones
  double forgetting() const;         // of what was best of former ones
};

/// In the order given. `before_each` sees the learner before each platform.
Result<TransferMatrix> learn_in_turn(
    ContinualLearner& learner, std::span<const Platform* const> platforms,
    std::span<const Measured> measured,
    const std::function<void(std::size_t platform)>& before_each = {});

}  // namespace tessera
