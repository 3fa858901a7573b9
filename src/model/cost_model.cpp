#include "model/cost_model.h"

#include <array>
#include <cmath>

namespace tessera {
namespace {

class PriorModel : public CostModel {
 public:
  std::string_view name() const override { return "prior"; }
  std::vector<double> score(const Task& /*task*/,
                            std::span<const Space::Chain* const> chains) const override {
    std::vector<double> scores;
    for (const Space::Chain* chain : chains) scores.push_back(-std::log(chain->draft.cycles));
    return scores;
  }
  void learn(std::vector<Lesson> /*lessons*/) override {}
};

constexpr std::array<std::string_view, 2> names{"gbdt", "prior"};

}  // namespace

std::unique_ptr<CostModel> prior_model() { return std::make_unique<PriorModel>(); }

std::span<const std::string_view> cost_model_names() { return names; }

Result<std::unique_ptr<CostModel>> make_cost_model(std::string_view name, std::uint64_t seed) {
  if (name == "gbdt") return gbdt_model(seed);
  if (name == "prior") return prior_model();
  return Error{"cost model " + std::string(name) + ": not known, expected gbdt or prior"};
}

}  // namespace tessera
