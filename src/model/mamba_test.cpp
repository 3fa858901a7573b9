#include "model/mamba.h"

#include "base/rng.h"
#include "feature/tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// Programs of random lengths that begin alike, as those of one task do.
Rows random_programs(std::size_t width, std::size_t count) {
  Rng rng(5);
  Rows rows{.width = width};
  std::vector<float> common(3 * width);
  for (float& value : common) value = static_cast<float>(rng.unit());
  for (std::size_t n = 0; n < count; ++n) {
    rows.values.insert(rows.values.end(), common.begin(), common.end());
    const auto own = static_cast<std::size_t>(rng.below(12));
    for (std::size_t k = 0; k < own * width; ++k)
      rows.values.push_back(static_cast<float>(rng.below(3)));
    rows.starts.push_back(rows.values.size() / width);
  }
  return rows;
}

TEST(PrefixTree, HasWhatProgramsShareOnce) {
  Rows rows{.width = 1, .values = {1, 2, 3, 1, 2, 4, 5, 1, 2}, .starts = {0, 3, 7, 9}};
  const std::vector<std::size_t> order = walking_order(rows);
  const PrefixTree tree = prefix_tree(rows, order);
  EXPECT_EQ(tree.nodes.size(), 5U);  // 1, 2, 3, 4, 5
  for (std::size_t n = 0; n < order.size(); ++n) {
    const PrefixTree::Node& last = tree.nodes[tree.ends[n]];
    EXPECT_EQ(last.depth + 1, rows.length(order[n]));
    EXPECT_EQ(rows.values[last.row], rows.of(order[n]).back());
  }
}

TEST(LinearLayer, MultipliesAndAdds) {
  constexpr std::int64_t outputs = 19, inputs = 7;
  constexpr std::size_t rows = 15;
  Rng rng(1);
  const auto drawn = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(rng.unit() - 0.5);
    return values;
  };
  const NamedTensor weight{"w", {outputs, inputs}, drawn(outputs * inputs)};
  const NamedTensor bias{"b", {outputs}, drawn(outputs)};
  const std::vector<float> x = drawn(rows * inputs);
  const LinearLayer layer(weight, &bias);
  std::vector<float> y(rows * layer.stride());
  layer.apply(x.data(), inputs, rows, y.data(), true);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t out = 0; out < outputs; ++out) {
      float expected = bias.values[out];
      for (std::size_t in = 0; in < inputs; ++in)
        expected += weight.values[out * inputs + in] * x[row * inputs + in];
      EXPECT_NEAR(y[row * layer.stride() + out], std::max(expected, 0.0F), 1e-6);
    }
}

/// The same numbers as LibTorch's, for every read-out and for several blocks.
TEST(Mamba, ScoresAsItsRankerDoes) {
  for (const char* read_out : {"sum", "mean", "last"}) {
    RankerShape shape{.kind = "mamba", .width = width_of(Encoding::Tokens)};
    shape.blocks = read_out == std::string("mean") ? 2 : 1;
    shape.read_out = read_out;
    for (std::size_t n = 0; n < shape.width; ++n)
      shape.scales.push_back(1 + static_cast<float>(n % 5));
    Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, 3, 1);
    ASSERT_TRUE(ranker) << ranker.error().message;
    Rows programs = random_programs(shape.width, 60);
    if (shape.blocks == 1)
      for (std::size_t n = 0; n < programs.size(); ++n)
        programs.estimates.push_back(-0.01F * static_cast<float>(n % 7));
    const std::vector<float> expected = (*ranker)->score(programs);
    const Result<Mamba> mamba = Mamba::make({.shape = shape, .weights = (*ranker)->weights()});
    ASSERT_TRUE(mamba) << mamba.error().message;
    for (const std::size_t threads : {1, 2}) {
      const std::vector<float> got = mamba->score(programs, threads);
      for (std::size_t n = 0; n < expected.size(); ++n)
        EXPECT_NEAR(got[n], expected[n], 1e-4 * std::max(1.0F, std::abs(expected[n])))
            << read_out << " " << n;
    }
  }
}

TEST(Mamba, AddsToTheEstimateUnlessItStandsAlone) {
  RankerShape shape{.kind = "mamba", .width = width_of(Encoding::Tokens)};
  Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, 3, 1);
  ASSERT_TRUE(ranker) << ranker.error().message;
  Rows programs = random_programs(shape.width, 3);
  const auto score = [&] {
    return Mamba::make({.shape = shape, .weights = (*ranker)->weights()})->score(programs, 1);
  };
  const std::vector<float> alone = score();
  programs.estimates = {0, -0.5F, -1};
  const std::vector<float> both = score();
  for (std::size_t n = 0; n < alone.size(); ++n)
    EXPECT_NEAR(both[n], alone[n] + 8 * programs.estimates[n], 1e-4);
  shape.estimate_weight = 0;
  EXPECT_EQ(score(), alone);
}

TEST(Mamba, ScoresAreLinearInItsFeatures) {
  const RankerShape shape{.kind = "mamba", .width = width_of(Encoding::Tokens)};
  Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, 3, 1);
  ASSERT_TRUE(ranker) << ranker.error().message;
  const Tensors weights = (*ranker)->weights();
  const Mamba mamba = *Mamba::make({.shape = shape, .weights = weights});
  const Rows programs = random_programs(shape.width, 5);
  const std::vector<float> scores = mamba.score(programs, 2),
                           features = mamba.features(programs, 2);
  const auto last = [&](const char* name) -> const std::vector<float>& {
    return std::ranges::find(weights, name, &NamedTensor::name)->values;
  };
  ASSERT_EQ(features.size(), programs.size() * mamba.feature_width());
  for (std::size_t n = 0; n < programs.size(); ++n) {
    float sum = last("head.4.bias")[0] * static_cast<float>(programs.length(n));
    for (std::size_t k = 0; k < mamba.feature_width(); ++k)
      sum += last("head.4.weight")[k] * features[n * mamba.feature_width() + k];
    EXPECT_NEAR(sum, scores[n], 1e-4);
  }
}

TEST(Mamba, RefusesWeightsOfAnotherShape) {
  const RankerShape shape{.kind = "mamba", .width = width_of(Encoding::Tokens)};
  Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, 3, 1);
  ASSERT_TRUE(ranker) << ranker.error().message;
  Tensors weights = (*ranker)->weights();
  weights.pop_back();
  const Result<Mamba> mamba = Mamba::make({.shape = shape, .weights = weights});
  ASSERT_FALSE(mamba);
  EXPECT_EQ(mamba.error().message, "weights of a mamba: no head.4.bias of the right shape");
}

TEST(TrainedRanker, ReadsBack) {
  TrainedRanker trained{.shape = {.kind = "mamba", .width = width_of(Encoding::Tokens)},
                        .weights = {{"w", {2}, {1, 2}}},
                        .facts = {{"seed", "7"}},
                        .memory = {{"importance.w", {2}, {3, 4}}}};
  trained.shape.scales.assign(trained.shape.width, 2);
  trained.shape.read_out = "last";
  const Result<TrainedRanker> got = from_safetensors(to_safetensors(trained));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->weights, trained.weights);
  EXPECT_EQ(got->facts, trained.facts);
  EXPECT_EQ(got->memory, trained.memory);
  EXPECT_EQ(got->shape.scales, trained.shape.scales);
  EXPECT_EQ(got->shape.read_out, "last");
  Safetensors other = to_safetensors(trained);
  other.metadata["rows_version"] = "99";
  EXPECT_EQ(from_safetensors(other).error().message,
            "reads version 99 of tokens, this program has " + std::to_string(token_version));
  other.metadata.erase("format");
  EXPECT_EQ(from_safetensors(other).error().message, "not the weights of a ranker");
}

}  // namespace
}  // namespace tessera
