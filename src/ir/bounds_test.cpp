#include "ir/bounds.h"

#include "ir/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace tessera {
namespace {

const Expr i = axis("i"), i0 = axis("i.0"), i1 = axis("i.1"), i2 = axis("i.2"), j = axis("j");
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

LoopScope scope_of(const std::vector<std::pair<AxisId, Expr>>& loops) {
  LoopScope scope;
  for (const auto& [name, extent] : loops) scope.enter(name, extent);
  return scope;
}

/// 128 iterations in rounds of six, the last round shorter.
LoopScope rounds_of_six() { return scope_of({{"i.0", 22}, {"i.1", min(6, 128 - i0 * 6)}}); }

std::string text_of(const std::optional<Interval>& interval) {
  if (!interval) return "unknown";
  return std::to_string(interval->min) + " .. " + std::to_string(interval->max);
}

TEST(Affine, CollectsTermsInOrderOfAppearance) {
  EXPECT_EQ(to_text(to_expr(to_affine((j + i * 3) * 2 - j + 5 - (i + 5)))), "j + i * 5");
}

TEST(Affine, KeepsWhatIsNotLinearAsAnAtom) {
  const Affine affine = to_affine(i / 4 * 8 + i * j + i / 4);
  EXPECT_EQ(to_text(to_expr(affine)), "i / 4 * 9 + i * j");
  EXPECT_EQ(affine.coefficient("i"), 0);
}

TEST(Affine, DropsTermsThatCancel) {
  EXPECT_TRUE(to_affine(i * 4 - (i + i) * 2 + 7).is_constant());
  EXPECT_EQ(to_affine(unary(UnaryOp::Neg, i - 3)).constant, 3);
}

TEST(Affine, KeepsWhatOverflowsAsAnAtom) {
  EXPECT_EQ(to_affine(Expr(huge) + 1).terms.size(), 1);
  EXPECT_EQ(to_text(to_expr(to_affine(i * (std::int64_t{1} << 61) * 4 + 1 - 1))),
            "i * 2305843009213693952 * 4");
}

TEST(ConstantValue, IsThatOfAnIntegerOnly) {
  EXPECT_EQ(constant_value(7), 7);
  EXPECT_EQ(constant_value(i), std::nullopt);
  EXPECT_EQ(constant_value(Expr(3) + 4), std::nullopt);
}

TEST(Bounds, OfConstantsAndAxes) {
  const LoopScope scope = scope_of({{"i", 10}, {"j", 3}});
  EXPECT_EQ(text_of(bounds(7, {})), "7 .. 7");
  EXPECT_EQ(text_of(bounds(i * 2 - j * 3 + 1, scope)), "-5 .. 19");
  EXPECT_EQ(text_of(bounds(i - i, {})), "0 .. 0");
}

TEST(Bounds, TailsCancel) {
  EXPECT_EQ(text_of(bounds(i0 * 6 + i1, rounds_of_six())), "0 .. 127");
  EXPECT_EQ(text_of(bounds(i1, rounds_of_six())), "0 .. 5");
  EXPECT_EQ(text_of(bounds(127 - i0 * 6 - i1, rounds_of_six())), "0 .. 127");
}

TEST(Bounds, TailsOfTailsCancel) {
  const LoopScope scope =
      scope_of({{"i.0", 6}, {"i.1", min(4, 22 - i0 * 4)}, {"i.2", min(6, 128 - i0 * 24 - i1 * 6)}});
  EXPECT_EQ(text_of(bounds(i0 * 24 + i1 * 6 + i2, scope)), "0 .. 127");
}

/// Ends only because no split doubles the work.
TEST(Bounds, TailsOfManyNestedSplitsCancel) {
  const std::int64_t count = (std::int64_t{1} << 40) + 1;
  LoopScope scope;
  Expr extent = count, passed = 0;
  for (int split = 0; split < 36; ++split) {
    const std::int64_t factor = (count >> (split + 1)) - 1;
    const AxisId outer = "i." + std::to_string(split);
    scope.enter(outer, (extent + (factor - 1)) / factor);
    passed = passed + axis(outer) * factor;
    extent = min(factor, extent - axis(outer) * factor);
  }
  scope.enter("j", extent);
  EXPECT_EQ(text_of(bounds(passed + j, scope)), "0 .. " + std::to_string(count - 1));
  EXPECT_EQ(max_extent(extent, scope), 15);
}

TEST(Bounds, OfQuotientsAndRemainders) {
  const LoopScope scope = scope_of({{"i", 10}});
  EXPECT_EQ(text_of(bounds(i / 4, scope)), "0 .. 2");
  EXPECT_EQ(text_of(bounds((i - 5) / 4, scope)), "-2 .. 1");
  EXPECT_EQ(text_of(bounds(i % 4, scope)), "0 .. 3");
  EXPECT_EQ(text_of(bounds((i + 20) % 16, scope)), "4 .. 13");
  EXPECT_EQ(text_of(bounds(i % 16, scope)), "0 .. 9");
}

TEST(Bounds, OfExtrema) {
  const LoopScope scope = scope_of({{"i", 10}});
  EXPECT_EQ(text_of(bounds(min(i, 4), scope)), "0 .. 4");
  EXPECT_EQ(text_of(bounds(max(i - 3, 2), scope)), "2 .. 6");
}

TEST(Bounds, AreUnknownForDataAndForeignAxes) {
  EXPECT_EQ(text_of(bounds(load("T", DType::I64, {0}), {})), "unknown");
  EXPECT_EQ(text_of(bounds(i + 1, {})), "unknown");
  EXPECT_EQ(text_of(bounds(i / j, scope_of({{"i", 10}, {"j", 3}}))), "unknown");
  EXPECT_EQ(text_of(bounds(load("T", DType::I64, {0}) % 8, {})), "0 .. 7");
}

TEST(Bounds, AreUnknownPastSixtyFourBits) {
  const LoopScope scope = scope_of({{"i", std::int64_t{1} << 40}});
  EXPECT_EQ(text_of(bounds(i * (std::int64_t{1} << 30), scope)), "unknown");
  EXPECT_EQ(text_of(bounds(i + huge, scope)), "unknown");
  EXPECT_EQ(text_of(bounds(i * (std::int64_t{1} << 30) / 4, scope)), "unknown");
}

TEST(MaxExtent, IsThatOfAFullRound) {
  EXPECT_EQ(max_extent(min(6, 128 - i0 * 6), scope_of({{"i.0", 22}})), 6);
  EXPECT_EQ(max_extent(12, {}), 12);
}

}  // namespace
}  // namespace tessera
