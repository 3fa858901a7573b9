#include "model/cost_model.h"

#include "ops/tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace tessera {
namespace {

/// Of how many pairs of chains a model tells the better one, when what is fast is what the prior
/// likes, unless `penalised` says that it is slow.
double pairs_right(const CostModel& model, const Space& space,
                   const std::function<double(const Space::Chain&)>& label) {
  Rng rng(99);
  std::vector<Space::Chain> chains;
  for (int n = 0; n < 60; ++n) chains.push_back(draw(space, rng));
  std::vector<const Space::Chain*> pointers;
  for (const Space::Chain& chain : chains) pointers.push_back(&chain);
  const std::vector<double> scores = model.score(space.task(), pointers);
  double right = 0, pairs = 0;
  for (std::size_t a = 0; a < chains.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const double truth = label(chains[a]) - label(chains[b]);
      if (std::abs(truth) < 1e-6) continue;
      ++pairs;
      right += (scores[a] - scores[b]) * truth > 0 ? 1 : 0;
    }
  return right / pairs;
}

/// A machine on which the prior is wrong about one question.
double label_of(const Space::Chain& chain) {
  double label = -0.2 * std::log(chain.draft.estimate.cycles);
  for (const NamedChoice& choice : chain.names)
    if (choice.question.ends_with(".tile") && choice.option.size() > 3) label -= 1;
  return label;
}

TEST(PriorModel, RanksByCycles) {
  const Space space({*parse_task_spec("matmul:m=64,n=96,k=128"), *parse_target("x86-avx2")});
  EXPECT_EQ(pairs_right(*prior_model(), space,
                        [](const Space::Chain& chain) { return -chain.draft.estimate.cycles; }),
            1);
}

TEST(CorrectedModel, IsThePriorBeforeItHasLearned) {
  const Space space({*parse_task_spec("matmul:m=64,n=96,k=128"), *parse_target("x86-avx2")});
  EXPECT_EQ(pairs_right(*corrected_model(prior_model(), 1), space,
                        [](const Space::Chain& chain) { return -chain.draft.estimate.cycles; }),
            1);
}

TEST(CorrectedModel, LearnsWhatThePriorHasWrong) {
  const Space space({*parse_task_spec("matmul:m=64,n=96,k=128"), *parse_target("x86-avx2")});
  const auto model = corrected_model(prior_model(), 1);
  Rng rng(1);
  std::vector<Lesson> lessons;
  for (int n = 0; n < 200; ++n) {
    Space::Chain chain = draw(space, rng);
    const double label = label_of(chain);
    lessons.push_back({&space.task(), std::move(chain), label});
  }
  const double before = pairs_right(*model, space, label_of);
  model->learn(std::move(lessons));
  double after = before;
  for (int n = 0; n < 1000 && after <= before; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    model->learn({});
    after = pairs_right(*model, space, label_of);
  }
  EXPECT_GT(after, before);
  EXPECT_GT(after, 0.8);
}

TEST(MakeCostModel, RefusesTrainedModelsWithoutWeights) {
  EXPECT_EQ(make_cost_model("mamba", {.weights_folder = "/nowhere"}).error().message,
            "/nowhere/mamba.safetensors: No such file or directory");
  EXPECT_TRUE(is_trained("mamba"));
  EXPECT_FALSE(is_trained("trees"));
}

TEST(MakeCostModel, RefusesUnknownNames) {
  EXPECT_EQ(make_cost_model("oracle", {}).error().message,
            "cost model oracle: not known, expected mamba, tlp, tenset-mlp, gbdt, trees or prior");
}

}  // namespace
}  // namespace tessera
