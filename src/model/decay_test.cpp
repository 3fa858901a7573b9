#include "model/decay.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera {
namespace {

TEST(Decay, IsTheExponentialOfWhatIsNotPositive) {
  EXPECT_EQ(decay(0.0f), 1.0f);
  for (float x = 0; x > -87; x -= 0.01f)
    EXPECT_NEAR(decay(x) / std::exp(static_cast<double>(x)), 1.0, 4e-7) << x;
}

TEST(Decay, StaysNormal) {
  EXPECT_TRUE(std::isnormal(decay(-87.0f)));
  EXPECT_EQ(decay(-1e30f), decay(-87.0f));
}

}  // namespace
}  // namespace tessera
