#include "backend/llvm/index.h"

#include <gtest/gtest.h>

namespace tessera::codegen {
namespace {

Index constant(std::int64_t value) { return Index{.constant = value, .terms = {}}; }

TEST(Index, FoldsAxesBoundToConstants) {
  IndexSpace space;
  space.bind("u", constant(3));
  EXPECT_EQ(space.index((axis("u") * 6 + 4) / 5 % 3), constant(1));
  EXPECT_EQ(space.index(min(axis("u"), Expr(2)) * 10), constant(20));
}

TEST(Index, AddsLikeTerms) {
  IndexSpace space;
  const int i = space.bind("i", {0, 9}, 1, false);
  const Index index = space.index((axis("i") + 1) * 8 - axis("i") * 3 + 2);
  EXPECT_EQ(index, (Index{.constant = 10, .terms = {{i, 5}}}));
  EXPECT_EQ(space.index(axis("i") - axis("i")), constant(0));
}

TEST(Index, DividesWhatRangesAllow) {
  IndexSpace space;
  const int i = space.bind("i", {0, 9}, 1, false);
  space.bind("v", {0, 7}, 0, true);
  EXPECT_EQ(space.index((axis("i") * 16 + axis("v")) / 16),
            (Index{.constant = 0, .terms = {{i, 1}}}));
  EXPECT_EQ(space.index((axis("i") * 16 + axis("v")) % 16), space.index(axis("v")));
  // 8 i + v over 16 is i over 2.
  EXPECT_EQ(space.index((axis("i") * 8 + axis("v")) / 16), space.index(axis("i") / 2));
  EXPECT_FALSE(space.varies(space.index((axis("i") * 8 + axis("v")) / 16)));
}

TEST(Index, KnowsRangesAndDepths) {
  IndexSpace space;
  space.bind("i", {0, 9}, 1, false);
  space.bind("j", {0, 4}, 2, false);
  const Index index = space.index(axis("i") * 5 - axis("j") + 1);
  EXPECT_EQ(space.range(index).low, -3);
  EXPECT_EQ(space.range(index).high, 46);
  EXPECT_EQ(space.depth(index), 2);
  EXPECT_EQ(space.depth(space.index(load("T", DType::I64, {axis("i")}))), Term::nowhere);
}

TEST(Index, DecidesConditionsByRanges) {
  IndexSpace space;
  space.bind("i", {0, 9}, 1, false);
  EXPECT_EQ(space.decide(axis("i") < 10), true);
  EXPECT_EQ(space.decide(axis("i") < 9), std::nullopt);
  EXPECT_EQ(space.decide(axis("i") < 10 && Expr(10) <= axis("i")), false);
}

}  // namespace
}  // namespace tessera::codegen
