#include "model/torch/adam.h"

#include "base/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tessera {
namespace {

using Floats = std::vector<float>;

TEST(Clip, ShortensLongGradientsOnly) {
  Floats gradient = {3, -4};
  clip(gradient, 0.5);
  EXPECT_FLOAT_EQ(gradient[0], 0.3f);
  EXPECT_FLOAT_EQ(gradient[1], -0.4f);
  Floats small = {0.1f, 0.2f};
  clip(small, 0.5);
  EXPECT_EQ(small, (Floats{0.1f, 0.2f}));
}

TEST(Clip, TakesNoGradientThatIsNotFinite) {
  Floats gradient = {std::numeric_limits<float>::quiet_NaN()};
  EXPECT_THROW(clip(gradient, 0.5), InternalError);
}

TEST(Adam, AgreesWithItsDefinition) {
  Floats weights = {1, -2};
  const Floats decay = {0.1f, 0};
  AdamState state{.mean = {0, 0}, .square = {0, 0}};
  double want[] = {1, -2};
  double mean[] = {0, 0};
  double square[] = {0, 0};
  for (int step = 1; step <= 5; ++step) {
    const Floats gradient = {static_cast<float>(step), 0.5f};
    adam_step(state, weights, gradient, decay, 0.01);
    for (std::size_t n = 0; n < 2; ++n) {
      const double slope = gradient[n];
      mean[n] = 0.9 * mean[n] + 0.1 * slope;
      square[n] = 0.999 * square[n] + 0.001 * slope * slope;
      want[n] -= 0.01 * decay[n] * want[n];
      want[n] -= 0.01 * mean[n] / (1 - std::pow(0.9, step)) /
                 (std::sqrt(square[n] / (1 - std::pow(0.999, step))) + 1e-8);
      EXPECT_NEAR(weights[n], want[n], 1e-6) << "step " << step << ", weight " << n;
    }
  }
  EXPECT_EQ(state.steps, 5);
}

}  // namespace
}  // namespace tessera
