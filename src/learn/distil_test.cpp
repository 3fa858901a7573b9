#include "learn/distil.h"

#include "base/rng.h"

#include <gtest/gtest.h>

#include <functional>

namespace tessera {
namespace {

std::vector<float> random_numbers(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> numbers;
  for (std::size_t n = 0; n < count; ++n) numbers.push_back(static_cast<float>(rng.unit() - 0.4));
  return numbers;
}

void expect_slopes(std::vector<float> at, const std::vector<float>& slopes,
                   const std::function<double(const std::vector<float>&)>& loss) {
  constexpr float step = 1e-2F;
  for (std::size_t n = 0; n < at.size(); ++n) {
    std::vector<float> less = at, more = at;
    less[n] -= step;
    more[n] += step;
    EXPECT_NEAR(slopes[n], (loss(more) - loss(less)) / (2 * step), 5e-3) << n;
  }
}

TEST(ImitationLoss, HasTheSlopesThatItsDifferencesShow) {
  const std::vector<float> scores = random_numbers(7, 1), teacher = random_numbers(7, 2);
  expect_slopes(scores, imitation_loss(scores, teacher).gradient,
                [&](const std::vector<float>& at) { return imitation_loss(at, teacher).loss; });
}

TEST(ImitationLoss, SeesNeitherShiftNorScale) {
  const std::vector<float> teacher{1, 5, 2, 8}, same{13, 21, 15, 27};
  EXPECT_NEAR(imitation_loss(same, teacher).loss, 0, 1e-5);
  EXPECT_GT(imitation_loss(std::vector<float>{8, 2, 5, 1}, teacher).loss, 1);
  EXPECT_EQ(imitation_loss(same, std::vector<float>{3, 3, 3, 3}).loss, 0);
  EXPECT_EQ(imitation_loss(std::vector<float>{1}, std::vector<float>{2}).loss, 0);
}

TEST(FeatureLoss, HasTheSlopesThatItsDifferencesShow) {
  const std::vector<float> features = random_numbers(12, 3), teacher = random_numbers(12, 4);
  expect_slopes(features, feature_loss(features, teacher, 4).feature_gradient,
                [&](const std::vector<float>& at) { return feature_loss(at, teacher, 4).loss; });
  EXPECT_NEAR(feature_loss(teacher, teacher, 4).loss, 0, 1e-6);
}

TEST(Agreement, IsKendallsTau) {
  const std::vector<float> labels{1, 2, 3};
  EXPECT_EQ(agreement(std::vector<float>{1, 2, 3}, labels), 1);
  EXPECT_EQ(agreement(std::vector<float>{3, 2, 1}, labels), -1);
  EXPECT_EQ(agreement(std::vector<float>{0, 0, 0}, labels), 0);
  EXPECT_EQ(agreement(std::vector<float>{0, 1, 0}, std::vector<float>{1, 1, 1}), 1);
}

}  // namespace
}  // namespace tessera
