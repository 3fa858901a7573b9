#include "model/torch/torch_ranker.h"

#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tessera {
namespace {

constexpr std::size_t width = 6;
constexpr std::size_t list_size = 16;

/// Lists of programs of some rows, where a program is as good as its rows together say.
struct Lessons {
  Rows programs{.width = width};
  std::vector<float> labels;
  std::vector<std::size_t> lists = {0};
};

Lessons lessons(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  Lessons lessons;
  for (std::size_t list = 0; list < count; ++list) {
    for (std::size_t n = 0; n < list_size; ++n) {
      const std::int64_t length = rng.between(2, 6);
      double quality = 0;
      for (std::int64_t row = 0; row < length; ++row) {
        for (std::size_t column = 0; column < width; ++column)
          lessons.programs.values.push_back(static_cast<float>(rng.unit()));
        const float* numbers = &lessons.programs.values.end()[-static_cast<std::ptrdiff_t>(width)];
        quality += numbers[0] - numbers[1] + 0.5 * numbers[2] * numbers[3];
      }
      lessons.programs.starts.push_back(lessons.programs.starts.back() +
                                        static_cast<std::size_t>(length));
      lessons.labels.push_back(static_cast<float>(1 / (1 + std::exp(-quality))));
    }
    lessons.lists.push_back(lessons.labels.size());
  }
  return lessons;
}

RankerShape shape_of(const std::string& kind) {
  return {.kind = kind,
          .width = width,
          .scales = std::vector<float>(width, 0.5f),
          .model_width = 16,
          .states = 4,
          .blocks = 2};
}

std::unique_ptr<Ranker> ranker(const std::string& kind, int threads = 1) {
  return make_torch_ranker(shape_of(kind), 7, threads);
}

double learn(Ranker& ranker, const Lessons& lessons) {
  return ranker.learn(lessons.programs, lessons.lists, ranking_loss(lessons.labels, lessons.lists),
                      3e-3);
}

/// The share of pairs of a list that the scores order as the labels do.
double accuracy(const std::vector<float>& scores, const Lessons& lessons) {
  int right = 0;
  int all = 0;
  for (std::size_t list = 0; list + 1 < lessons.lists.size(); ++list)
    for (std::size_t i = lessons.lists[list]; i < lessons.lists[list + 1]; ++i)
      for (std::size_t j = lessons.lists[list]; j < i; ++j) {
        ++all;
        right += (scores[i] > scores[j]) == (lessons.labels[i] > lessons.labels[j]);
      }
  return static_cast<double>(right) / all;
}

/// Some of the programs, each by itself.
std::vector<float> scores_alone(const Ranker& ranker, const Rows& programs, std::size_t count) {
  std::vector<float> scores;
  for (std::size_t n = 0; n < count; ++n) {
    const auto rows = programs.of(n);
    const Rows alone{.width = programs.width,
                     .values = {rows.begin(), rows.end()},
                     .starts = {0, programs.length(n)}};
    scores.push_back(ranker.score(alone).front());
  }
  return scores;
}

class TorchRanker : public testing::TestWithParam<const char*> {};

TEST_P(TorchRanker, LearnsToRank) {
  const std::unique_ptr<Ranker> student = ranker(GetParam());
  const Lessons held_out = lessons(8, 99);
  double right = 0;
  for (std::uint64_t n = 0; n < 200 && right < 0.92; ++n) {
    learn(*student, lessons(8, n));
    right = accuracy(student->score(held_out.programs), held_out);
  }
  EXPECT_GT(right, 0.9);
}

TEST_P(TorchRanker, JudgesAProgramByItself) {
  const std::unique_ptr<Ranker> judge = ranker(GetParam());
  const Rows programs = lessons(1, 1).programs;
  const std::vector<float> together = judge->score(programs);
  const std::vector<float> alone = scores_alone(*judge, programs, 5);
  for (std::size_t n = 0; n < alone.size(); ++n) EXPECT_NEAR(alone[n], together[n], 1e-5) << n;
  EXPECT_TRUE(judge->score({.width = width}).empty());
}

TEST_P(TorchRanker, JudgesProgramsThatBeginAlikeByThemselves) {
  const std::unique_ptr<Ranker> judge = ranker(GetParam());
  const Rows other = lessons(1, 1).programs;
  Rows programs{.width = width};
  Rng rng(3);
  for (int n = 0; n < 40; ++n) {  // of two rows: many begin alike, some are alike
    for (std::int64_t row = rng.between(1, 5); row > 0; --row) {
      const std::span<const float> one = other.of(static_cast<std::size_t>(rng.below(2)));
      programs.values.insert(programs.values.end(), one.begin(), one.begin() + width);
    }
    programs.starts.push_back(programs.values.size() / width);
  }
  const std::vector<float> together = judge->score(programs);
  const std::vector<float> alone = scores_alone(*judge, programs, programs.size());
  for (std::size_t n = 0; n < alone.size(); ++n) EXPECT_NEAR(alone[n], together[n], 1e-5) << n;
}

TEST_P(TorchRanker, IsDeterminedBySeedAndThreads) {
  const Lessons some = lessons(32, 1);  // more rows than go through at once
  for (const int threads : {1, 2}) {
    const std::unique_ptr<Ranker> one = ranker(GetParam(), threads);
    const std::unique_ptr<Ranker> other = ranker(GetParam(), threads);
    for (int n = 0; n < 2; ++n) EXPECT_EQ(learn(*one, some), learn(*other, some));
    EXPECT_EQ(one->weights(), other->weights());
    EXPECT_EQ(one->score(some.programs), other->score(some.programs));
  }
  EXPECT_NE(make_torch_ranker(shape_of(GetParam()), 8, 1)->weights(),
            ranker(GetParam())->weights());
}

TEST_P(TorchRanker, LearnsTheSameOnMoreThreads) {
  const Lessons some = lessons(32, 1);
  const std::unique_ptr<Ranker> one = ranker(GetParam(), 1);
  const std::unique_ptr<Ranker> two = ranker(GetParam(), 2);
  EXPECT_NEAR(learn(*one, some), learn(*two, some), 1e-5);
  EXPECT_NEAR(learn(*one, some), learn(*two, some), 1e-3);
}

TEST_P(TorchRanker, GoesOnWhereItWasStopped) {
  const std::unique_ptr<Ranker> whole = ranker(GetParam());
  const std::unique_ptr<Ranker> first = ranker(GetParam());
  for (std::uint64_t n = 0; n < 2; ++n) {
    learn(*whole, lessons(4, n));
    learn(*first, lessons(4, n));
  }
  const std::unique_ptr<Ranker> second = make_torch_ranker(shape_of(GetParam()), 1234, 1);
  ASSERT_TRUE(second->set_weights(first->weights()));
  ASSERT_TRUE(second->set_optimiser_state(first->optimiser_state()));
  for (std::uint64_t n = 2; n < 4; ++n) {
    learn(*whole, lessons(4, n));
    learn(*second, lessons(4, n));
  }
  EXPECT_EQ(whole->weights(), second->weights());
  EXPECT_EQ(whole->optimiser_state(), second->optimiser_state());
}

INSTANTIATE_TEST_SUITE_P(Kinds, TorchRanker, testing::Values("tenset-mlp", "tlp", "mamba"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(RankerSizes, AreThoseOfTheirPapers) {
  const auto count = [](const RankerShape& shape) {
    return make_torch_ranker(shape, 1, 1)->parameter_count();
  };
  EXPECT_EQ(count({.kind = "tenset-mlp", .width = 174}), 242'433);
  EXPECT_EQ(count({.kind = "tlp", .width = 22}), 676'161 - 65'792);  // one layer there has no use
  EXPECT_EQ(count({.kind = "mamba", .width = 22}), 91'553);
}

TEST(MambaRanker, HasTheNamesThatItsFilesHave) {
  std::set<std::string> names;
  for (const NamedTensor& weight :
       make_torch_ranker({.kind = "mamba", .width = 22}, 1, 1)->weights())
    names.insert(weight.name);
  const std::set<std::string> want = {"encoder.0.weight",
                                      "encoder.0.bias",
                                      "encoder.2.weight",
                                      "encoder.2.bias",
                                      "blocks.0.norm.weight",
                                      "blocks.0.in_proj.weight",
                                      "blocks.0.conv.weight",
                                      "blocks.0.conv.bias",
                                      "blocks.0.x_proj.weight",
                                      "blocks.0.dt_proj.weight",
                                      "blocks.0.dt_proj.bias",
                                      "blocks.0.A_log",
                                      "blocks.0.D",
                                      "blocks.0.out_proj.weight",
                                      "head.0.weight",
                                      "head.0.bias",
                                      "head.2.weight",
                                      "head.2.bias",
                                      "head.4.weight",
                                      "head.4.bias"};
  EXPECT_EQ(names, want);
}

TEST(MambaRanker, ReadsOutSumsMeansAndLastSteps) {
  const Rows programs = lessons(1, 1).programs;
  RankerShape shape = shape_of("mamba");
  const std::vector<float> sums = make_torch_ranker(shape, 7, 1)->score(programs);
  shape.read_out = "mean";
  const std::vector<float> means = make_torch_ranker(shape, 7, 1)->score(programs);
  for (std::size_t n = 0; n < sums.size(); ++n)
    EXPECT_NEAR(means[n] * static_cast<float>(programs.length(n)), sums[n], 1e-5);

  shape.read_out = "last";  // the sum of a program is that of the last steps of its beginnings
  const std::unique_ptr<Ranker> last = make_torch_ranker(shape, 7, 1);
  const auto rows = programs.of(0);
  float sum = 0;
  for (std::size_t length = 1; length <= programs.length(0); ++length)
    sum += last->score({.width = width,
                        .values = {rows.begin(), rows.begin() + length * width},
                        .starts = {0, length}})
               .front();
  EXPECT_NEAR(sum, sums[0], 1e-5);
}

TEST(MambaRanker, IsHeldWhereItIs) {
  const std::unique_ptr<Ranker> free = ranker("mamba"), held = ranker("mamba");
  const Tensors before = held->weights();
  Tensors strong = before;
  for (NamedTensor& weight : strong) std::ranges::fill(weight.values, 1e3F);
  ASSERT_TRUE(held->hold(before, strong));
  for (std::uint64_t n = 0; n < 20; ++n) {
    learn(*free, lessons(4, n));
    learn(*held, lessons(4, n));
  }
  const auto moved = [&](const Ranker& one) {
    const Tensors now = one.weights();
    double sum = 0;
    for (std::size_t n = 0; n < before.size(); ++n)
      for (std::size_t k = 0; k < before[n].values.size(); ++k)
        sum += std::abs(now[n].values[k] - before[n].values[k]);
    return sum;
  };
  EXPECT_LT(moved(*held), 0.5 * moved(*free));
  EXPECT_EQ(held->hold({}, strong).error().message,
            "centre of a mamba: no tensor \"encoder.0.weight\"");
}

TEST(MambaRanker, KnowsWhichWeightsMatter) {
  const std::unique_ptr<Ranker> one = ranker("mamba", 1), two = ranker("mamba", 2);
  const Lessons some = lessons(6, 3);
  const LossOfList loss = ranking_loss(some.labels, some.lists);
  const Tensors weights = one->weights();
  const Tensors importance = one->importance(some.programs, some.lists, loss);
  EXPECT_EQ(one->weights(), weights);
  ASSERT_EQ(importance.size(), weights.size());
  const Tensors same = two->importance(some.programs, some.lists, loss);
  for (std::size_t n = 0; n < importance.size(); ++n) {
    EXPECT_EQ(importance[n].name, weights[n].name);
    for (std::size_t k = 0; k < importance[n].values.size(); ++k) {
      EXPECT_GE(importance[n].values[k], 0);
      EXPECT_NEAR(importance[n].values[k], same[n].values[k], 1e-4 * (1 + importance[n].values[k]));
    }
  }
}

TEST(MambaRanker, LearnsFromFeatures) {
  const std::unique_ptr<Ranker> student = ranker("mamba");
  const Lessons some = lessons(2, 3);
  double first = 0, last = 0;
  for (int n = 0; n < 60; ++n) {
    double sum = 0;
    const auto ones = [&](std::size_t, const Judgement& judgement) {
      ListLoss loss{.gradient = std::vector<float>(judgement.scores.size())};
      for (const float feature : judgement.features) {
        loss.feature_gradient.push_back(feature - 1);
        sum += (feature - 1) * (feature - 1);
      }
      return loss;
    };
    student->learn(some.programs, some.lists, ones, 3e-3);
    if (n == 0) first = sum;
    last = sum;
  }
  EXPECT_LT(last, 0.7 * first);
}

TEST(TlpRanker, JudgesByTheHeadOfEachProgram) {
  RankerShape shape = shape_of("tlp");
  const std::vector<float> one = make_torch_ranker(shape, 7, 1)->score(lessons(1, 1).programs);
  shape.heads = 2;
  const std::unique_ptr<Ranker> two = make_torch_ranker(shape, 7, 1);
  EXPECT_EQ(two->parameter_count(),
            make_torch_ranker(shape_of("tlp"), 7, 1)->parameter_count() + 107'009);
  Rows programs = lessons(1, 1).programs;
  const std::vector<float> first = two->score(programs);
  for (std::size_t n = 0; n < one.size(); ++n) EXPECT_NEAR(first[n], one[n], 1e-5);
  programs.heads.assign(programs.size(), 0);
  programs.heads[3] = 1;
  const std::vector<float> mixed = two->score(programs);
  for (std::size_t n = 0; n < first.size(); ++n)
    EXPECT_EQ(std::abs(mixed[n] - first[n]) > 1e-5, n == 3) << n;
}

TEST(Column, BeginsAsItsBaseAndLearns) {
  const std::unique_ptr<Ranker> base = ranker("mamba");
  const Lessons some = lessons(4, 5);
  Result<std::unique_ptr<Ranker>> column =
      make_torch_column(shape_of("mamba"), base->weights(), 3, 1);
  ASSERT_TRUE(column) << column.error().message;
  EXPECT_GT((*column)->parameter_count(), base->parameter_count());
  const std::vector<float> expected = base->score(some.programs);
  const std::vector<float> got = (*column)->score(some.programs);
  for (std::size_t n = 0; n < got.size(); ++n) EXPECT_NEAR(got[n], expected[n], 1e-5);
  const double first = learn(**column, some);
  double last = first;
  for (int n = 0; n < 30; ++n) last = learn(**column, some);
  EXPECT_LT(last, first);
  for (const NamedTensor& weight : (*column)->weights())
    if (weight.name == "adapter.1.U.weight") {
      EXPECT_GT(*std::ranges::max_element(weight.values), 0);
    }
  EXPECT_EQ(make_torch_column(shape_of("mamba"), {}, 3, 1).error().message,
            "base of a column: no tensor \"encoder.0.weight\"");
}

TEST(Weights, OfOtherRankersAreRefused) {
  const std::unique_ptr<Ranker> mlp = ranker("tenset-mlp");
  const auto refusal = [&](const Tensors& weights) {
    const Result<void> set = mlp->set_weights(weights);
    return set ? "accepted" : set.error().message;
  };
  const std::string subject = "weights of a tenset-mlp: ";
  const Tensors right = mlp->weights();
  Tensors weights = right;
  std::reverse(weights.begin(), weights.end());
  EXPECT_EQ(refusal(weights), "accepted");
  weights.pop_back();
  EXPECT_EQ(refusal(weights), subject + "no tensor \"encoder.0.weight\"");
  weights = right;
  weights.push_back({"more", {}, {0}});
  EXPECT_EQ(refusal(weights), subject + "unknown tensor \"more\"");
  weights.back() = right.back();
  EXPECT_EQ(refusal(weights), subject + "tensor \"decoder.bias\" is there twice");
  weights = right;
  weights.back() = {"decoder.bias", {2}, {0, 0}};
  EXPECT_EQ(refusal(weights), subject + "tensor \"decoder.bias\": shape [2], expected [1]");
  weights = right;
  weights.back().values[0] = std::nanf("");
  EXPECT_EQ(refusal(weights), subject + "tensor \"decoder.bias\": number 0 is not finite");
  EXPECT_EQ(mlp->weights(), right);

  const Result<void> state = mlp->set_optimiser_state(right);
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().message, "optimiser state of a tenset-mlp: no tensor \"steps\"");
}

}  // namespace
}  // namespace tessera
