#include "base/rng.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <vector>

namespace tessera {
namespace {

TEST(Rng, IsSplitMix64) {
  Rng rng(1234567);
  EXPECT_EQ(rng.next(), 0x599ed017fb08fc85U);
  EXPECT_EQ(rng.next(), 0x2c73f08458540fa5U);
  EXPECT_EQ(rng.next(), 0x883ebce5a3f27c77U);
}

TEST(Rng, DrawsBetweenBothEnds) {
  Rng rng(7);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(rng.between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
}

TEST(Rng, DrawsOneBelowOne) {
  Rng rng(3);
  EXPECT_EQ(rng.below(1), 0);
  EXPECT_EQ(rng.between(5, 5), 5);
}

TEST(Rng, ChecksThatTheBoundIsPositive) {
  Rng rng(0);
  EXPECT_THROW(rng.below(0), InternalError);
  EXPECT_THROW(rng.pick(std::span<const int>{}), InternalError);
}

TEST(Rng, UnitStaysBelowOne) {
  Rng rng(11);
  for (int i = 0; i < 1000; ++i) {
    const double unit = rng.unit();
    EXPECT_GE(unit, 0);
    EXPECT_LT(unit, 1);
  }
}

TEST(Rng, ChanceZeroNeverHappensAndOneAlwaysDoes) {
  Rng rng(5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(rng.chance(0));
    EXPECT_TRUE(rng.chance(1));
  }
}

TEST(Rng, PicksAnItemOfTheSpan) {
  Rng rng(9);
  const std::vector<int> items = {4, 8, 15};
  std::set<int> seen;
  for (int i = 0; i < 100; ++i) seen.insert(rng.pick(std::span<const int>(items)));
  EXPECT_EQ(seen, (std::set<int>{4, 8, 15}));
}

}  // namespace
}  // namespace tessera
