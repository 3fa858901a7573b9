#include "model/cost_model.h"

#include "model/trained_model.h"

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
    for (const Space::Chain* chain : chains)
      scores.push_back(-std::log(chain->draft.estimate.cycles));
    return scores;
  }
  void learn(std::vector<Lesson> /*lessons*/) override {}
};

constexpr std::array<std::string_view, 6> names{"mamba", "tlp",   "tenset-mlp",
                                                "gbdt",  "trees", "prior"};

}  // namespace

std::unique_ptr<CostModel> prior_model() { return std::make_unique<PriorModel>(); }

std::span<const std::string_view> cost_model_names() { return names; }

bool is_trained(std::string_view name) {
  return name == "mamba" || name == "tlp" || name == "tenset-mlp" || name == "gbdt";
}

Result<std::unique_ptr<CostModel>> make_cost_model(std::string_view name,
                                                   const CostModelOptions& options) {
  if (name == "prior") return prior_model();
  if (name == "trees") return corrected_model(prior_model(), options.seed);
  if (is_trained(name)) {
    const std::string kind(name), path = options.weights_folder + "/" + file_of_trained(name);
    Result<TrainedScores> scores = read_trained_scores(kind, path, options.threads);
    if (!scores) return scores.error();
    return corrected_model(trained_model(*std::move(scores)), options.seed);
  }
  return Error{"cost model " + std::string(name) +
               ": not known, expected mamba, tlp, tenset-mlp, gbdt, trees or prior"};
}

}  // namespace tessera
