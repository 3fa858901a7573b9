#include "model/decay.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera {
namespace {

TEST(Decay, HalvingIsAPowerOfTwo) {
  EXPECT_EQ(halving(0.0f), 1.0f);
  EXPECT_EQ(halving(-3.0f), 0.125f);
  for (float x = 0; x > -126; x -= 0.01f)
    EXPECT_NEAR(halving(x) / std::exp2(static_cast<double>(x)), 1.0, 2e-7) << x;
}

TEST(Decay, IsTheExponentialOfWhatIsNotPositive) {
  EXPECT_EQ(decay(0.0f), 1.0f);
  for (float x = 0; x > -90; x -= 0.01f)
    EXPECT_NEAR(decay(x), std::exp(static_cast<double>(x)), 3e-7) << x;
}

TEST(Decay, StaysNormal) {
  EXPECT_TRUE(std::isnormal(halving(-126.0f)));
  EXPECT_EQ(decay(-1e30f), halving(-126.0f));
}

}  // namespace
}  // namespace tessera
