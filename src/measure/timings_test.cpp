#include "measure/timings.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// 1, 2, .. as many.
Timings counted(int count) {
  std::vector<double> values;
  for (int n = count; n > 0; --n) values.push_back(n);
  return Timings(values);
}

TEST(Timings, TellQuantiles) {
  const Timings timings = counted(101);
  EXPECT_EQ(timings.runs(), 101);
  EXPECT_EQ(timings.min(), 1);
  EXPECT_EQ(timings.median(), 51);
  EXPECT_EQ(timings.p90(), 91);
}

TEST(Timings, TellHowSureTheMedianIs) {
  EXPECT_NEAR(counted(101).median_error(), 10, 0.5);
  EXPECT_EQ(counted(1).median_error(), 0);
  EXPECT_EQ(Timings(std::vector<double>(50, 3.0)).median_error(), 0);
}

TEST(Timings, AreNoisyWhenATenthTakesAFifthMore) {
  std::vector<double> values(100, 10);
  EXPECT_FALSE(Timings(values).is_noisy());
  std::fill_n(values.begin(), 9, 20.0);
  EXPECT_FALSE(Timings(values).is_noisy());
  std::fill_n(values.begin(), 12, 20.0);
  EXPECT_TRUE(Timings(values).is_noisy());
}

}  // namespace
}  // namespace tessera
