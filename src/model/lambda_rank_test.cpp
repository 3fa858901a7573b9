#include "model/lambda_rank.h"

#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace tessera {
namespace {

using Doubles = std::vector<double>;

/// By the definition: weights of all pairs, then the loss that they give to any scores.
class PlainLoss {
 public:
  PlainLoss(const Doubles& scores, const Doubles& labels) : labels_(labels) {
    Doubles sorted = labels;
    std::sort(sorted.begin(), sorted.end(), std::greater());
    double best = 0;
    for (std::size_t n = 0; n < sorted.size(); ++n)
      best += (std::exp2(sorted[n]) - 1) / std::log2(2.0 + static_cast<double>(n));
    for (std::size_t i = 0; i < scores.size(); ++i)
      for (std::size_t j = 0; j < scores.size(); ++j)
        weights_.push_back(std::abs(discount(scores, i) - discount(scores, j)) *
                           std::abs(std::exp2(labels[i]) - std::exp2(labels[j])) / best);
  }

  double operator()(const Doubles& scores) const {
    double loss = 0;
    for_each_pair([&](std::size_t i, std::size_t j, double weight) {
      loss += weight * std::log2(1 + std::exp(scores[j] - scores[i]));
    });
    return loss;
  }

  Doubles gradient(const Doubles& scores) const {
    Doubles gradient(scores.size());
    for_each_pair([&](std::size_t i, std::size_t j, double weight) {
      const double share = weight / (std::numbers::ln2 * (1 + std::exp(scores[i] - scores[j])));
      gradient[i] -= share;
      gradient[j] += share;
    });
    return gradient;
  }

 private:
  static double discount(const Doubles& scores, std::size_t i) {
    int position = 1;
    for (std::size_t n = 0; n < scores.size(); ++n)
      position += scores[n] > scores[i] || (scores[n] == scores[i] && n < i);
    return 1 / std::log2(1.0 + position);
  }

  template <typename F>
  void for_each_pair(const F& f) const {
    for (std::size_t i = 0; i < labels_.size(); ++i)
      for (std::size_t j = 0; j < labels_.size(); ++j)
        if (labels_[i] > labels_[j]) f(i, j, weights_[i * labels_.size() + j]);
  }

  Doubles labels_;
  Doubles weights_;
};

struct Sample {
  std::vector<float> scores;
  std::vector<float> labels;
};

/// Some labels and scores are equal.
Sample sample(std::size_t size, double spread, std::uint64_t seed) {
  Rng rng(seed);
  Sample sample;
  for (std::size_t n = 0; n < size; ++n) {
    sample.scores.push_back(static_cast<float>(spread * (rng.unit() - 0.5)));
    sample.labels.push_back(static_cast<float>(rng.between(1, 20)) / 20);
    if (n % 7 == 3) sample.scores[n] = sample.scores[n - 1];
  }
  return sample;
}

Doubles doubles(const std::vector<float>& numbers) { return {numbers.begin(), numbers.end()}; }

TEST(LambdaRank, AgreesWithItsDefinition) {
  for (const std::size_t size : {1u, 2u, 3u, 17u, 64u, 131u})
    for (const double spread : {0.0, 1.0, 30.0, 300.0}) {
      const Sample list = sample(size, spread, size);
      const PlainLoss plain(doubles(list.scores), doubles(list.labels));
      const ListLoss got = lambda_rank(list.scores, list.labels);
      const double loss = plain(doubles(list.scores));
      EXPECT_NEAR(got.loss, loss, 1e-5 * loss) << size << " " << spread;
      const Doubles gradient = plain.gradient(doubles(list.scores));
      for (std::size_t n = 0; n < size; ++n)
        EXPECT_NEAR(got.gradient[n], gradient[n], 1e-5) << size << " " << spread << " " << n;
    }
}

TEST(LambdaRank, HasTheGradientOfItsLossWithWeightsHeld) {
  const Sample list = sample(23, 4, 5);
  const Doubles scores = doubles(list.scores);
  const PlainLoss plain(scores, doubles(list.labels));
  const ListLoss got = lambda_rank(list.scores, list.labels);
  for (std::size_t n = 0; n < scores.size(); ++n) {
    constexpr double step = 1e-5;
    Doubles above = scores;
    Doubles below = scores;
    above[n] += step;
    below[n] -= step;
    EXPECT_NEAR(got.gradient[n], (plain(above) - plain(below)) / (2 * step), 1e-5) << n;
  }
}

TEST(LambdaRank, HasNothingToSayOfEqualLabels) {
  for (const float label : {0.0f, 0.5f}) {
    const ListLoss got =
        lambda_rank(std::vector<float>{3, 1, 2}, std::vector<float>{label, label, label});
    EXPECT_EQ(got.loss, 0);
    EXPECT_EQ(got.gradient, (std::vector<float>{0, 0, 0}));
  }
  EXPECT_TRUE(lambda_rank({}, {}).gradient.empty());
}

}  // namespace
}  // namespace tessera
