#include "ir/simplify.h"

#include "base/rng.h"
#include "ir/arithmetic.h"
#include "ir/rewrite.h"
#include "ir/text.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>

namespace tessera {
namespace {

const Expr i = axis("i"), i0 = axis("i.0"), i1 = axis("i.1"), j = axis("j");

LoopScope scope_of(const std::vector<std::pair<AxisId, Expr>>& loops) {
  LoopScope scope;
  for (const auto& [name, extent] : loops) scope.enter(name, extent);
  return scope;
}

/// i in 10, j in 16, and 128 iterations in rounds of six.
LoopScope some_loops() {
  return scope_of({{"i", 10}, {"j", 16}, {"i.0", 22}, {"i.1", min(6, 128 - i0 * 6)}});
}

std::string simplified(const Expr& e) { return to_text(simplify(e, some_loops())); }

TEST(Simplify, PutsIndexArithmeticInLinearForm) {
  EXPECT_EQ(simplified(i + i + 3 - (j + 1)), "i * 2 - j + 2");
  EXPECT_EQ(simplified((i * 4 + j) * 2 - i * 8), "j * 2");
  EXPECT_EQ(simplified(unary(UnaryOp::Neg, i - 2)), "2 - i");
  EXPECT_EQ(simplified(Expr(7) * 6), "42");
}

TEST(Simplify, DividesBlocks) {
  EXPECT_EQ(simplified((i * 16 + j) / 16), "i");
  EXPECT_EQ(simplified((i * 16 + j) % 16), "j");
  EXPECT_EQ(simplified((i * 16 + j + 32) / 16), "i + 2");
  EXPECT_EQ(simplified((i * 16 + j) / 4), "i * 4 + j / 4");
  EXPECT_EQ(simplified((i * 16 + j) % 4), "j % 4");
}

TEST(Simplify, DividesByTheCommonBlockFirst) {
  EXPECT_EQ(simplified((i * 16 + j) / 32), "i / 2");
  EXPECT_EQ(simplified((i * 16 + j) % 32), "i % 2 * 16 + j");
  EXPECT_EQ(simplified(j / 4 / 2), "j / 8");
}

TEST(Simplify, JoinsQuotientAndRemainder) {
  const Expr y = load("T", DType::I64, {i});  // of any sign
  EXPECT_EQ(simplified(y / 4 * 4 + y % 4), "T[i]");
  EXPECT_EQ(simplified(y % 4 * 3 + j + y / 4 * 12), "j + T[i] * 3");
  EXPECT_EQ(simplified(unary(UnaryOp::Neg, y % 4) - y / 4 * 4), "T[i] * -1");
  EXPECT_EQ(simplified((y * 4 + 7) / 8 * 8 + (y * 4 + 7) % 8), "T[i] * 4 + 7");
  EXPECT_EQ(simplified(y / 12 * 12 + y / 3 % 4 * 3 + y % 3), "T[i]");
  EXPECT_EQ(simplified(y / 4 * 5 + y % 4), "T[i] / 4 * 5 + T[i] % 4");
  EXPECT_EQ(simplified(y / 4 * 4 + j % 4), "T[i] / 4 * 4 + j % 4");
  EXPECT_EQ(simplified(y / -4 * -4 + y % -4), "T[i] / -4 * -4 + T[i] % -4");
}

TEST(Simplify, RoundsTowardsMinusInfinity) {
  EXPECT_EQ(simplified(Expr(-7) / 4), "-2");
  EXPECT_EQ(simplified(Expr(-7) % 4), "1");
  EXPECT_EQ(simplified((i * 4 - 7) / 4), "i - 2");
}

TEST(Simplify, DecidesNothingPastSixtyFourBits) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(simplified(i + huge), "i + 9223372036854775807");
  EXPECT_EQ(simplified(Expr(huge) < -1), "9223372036854775807 < -1");
  EXPECT_EQ(simplified(i / huge / huge), "0");
  EXPECT_EQ(simplified((i + huge) / huge / huge),
            "(i + 9223372036854775807) / 9223372036854775807 / 9223372036854775807");
  EXPECT_EQ(simplified(Expr(-huge - 1) / 3), "-3074457345618258603");
  EXPECT_EQ(simplified(Expr(-huge - 1) % 3), "1");
}

TEST(Simplify, LeavesDivisionByWhatIsNotPositive) {
  EXPECT_EQ(simplified(i / 0), "i / 0");
  EXPECT_EQ(simplified(i % -2), "i % -2");
  EXPECT_EQ(simplified(i / j), "i / j");
}

TEST(Simplify, DecidesExtrema) {
  EXPECT_EQ(simplified(min(i, 10)), "i");
  EXPECT_EQ(simplified(min(i, j + 10)), "i");
  EXPECT_EQ(simplified(max(i, -1)), "i");
  EXPECT_EQ(simplified(max(i + 16, j)), "i + 16");
  EXPECT_EQ(simplified(min(i, 5)), "min(i, 5)");
}

TEST(Simplify, DecidesComparisons) {
  EXPECT_EQ(simplified(i < 10), "true");
  EXPECT_EQ(simplified(i < 0), "false");
  EXPECT_EQ(simplified(Expr(0) <= i), "true");
  EXPECT_EQ(simplified(i <= -1), "false");
  EXPECT_EQ(simplified(binary(BinaryOp::Equal, i, 10)), "false");
  EXPECT_EQ(simplified(binary(BinaryOp::Equal, i - i, 0)), "true");
  EXPECT_EQ(simplified(i < 9), "i < 9");
}

TEST(Simplify, KnowsThatTailsStayInside) {
  EXPECT_EQ(simplified(i0 * 6 + i1 < 128), "true");
  EXPECT_EQ(simplified(min(i0 * 6 + i1, 127)), "i.0 * 6 + i.1");
  EXPECT_EQ(simplified((i0 * 6 + i1) / 128), "0");
  EXPECT_EQ(simplified((i0 * 6 + i1) / 6), "i.0");
  EXPECT_EQ(simplified(i0 * 6 + i1 < 127), "i.0 * 6 + i.1 < 127");
}

TEST(Simplify, DecidesLogicAndSelect) {
  EXPECT_EQ(simplified(i < 5 && i < 10), "i < 5");
  EXPECT_EQ(simplified(i < 5 && i < 0), "false");
  EXPECT_EQ(simplified(binary(BinaryOp::Or, i < 10, i < 5)), "true");
  EXPECT_EQ(simplified(unary(UnaryOp::Not, i < 10)), "false");
  EXPECT_EQ(simplified(select(i < 10, i, j)), "i");
  EXPECT_EQ(simplified(select(i < 0, i, j)), "j");
}

TEST(Simplify, KeepsTheValuesOfFloats) {
  const Expr x = load("T", DType::F32, {i});
  EXPECT_EQ(simplified(x * real(1.0) / real(1.0) - real(0.0)), "T[i]");
  EXPECT_EQ(simplified(x + real(0.0)), "T[i] + 0.0");    // -0.0 + 0.0 is 0.0
  EXPECT_EQ(simplified(x * real(0.0)), "T[i] * 0.0");    // nan
  EXPECT_EQ(simplified(x - real(-0.0)), "T[i] - -0.0");  // -0.0 - -0.0 is 0.0
  EXPECT_EQ(simplified(real(2.0) * real(3.0)), "2.0 * 3.0");
}

TEST(Simplify, DecidesBranchesAndRemovesWhatIsEmpty) {
  const Stmt store(StmtNode{Store{"T", {i * 2 - i}, real(1.0), std::nullopt}});
  const Stmt branch(StmtNode{If{i < 10, store, std::nullopt}});
  const Stmt never(StmtNode{If{i < 0, store, std::nullopt}});
  const Stmt loop(
      StmtNode{Loop{.axis = "i", .extent = Expr(4) + 6, .body = block({branch, never})}});
  EXPECT_EQ(to_text(simplify(loop)), "for i in 10 {\n  T[i] = 1.0\n}\n");
  const Stmt empty(StmtNode{Loop{.axis = "i", .extent = 10, .body = never}});
  EXPECT_EQ(simplify(empty), block({}));
}

TEST(Simplify, KeepsLoopsOfOneIteration) {
  const Stmt store(StmtNode{Store{"T", {i}, real(1.0), std::nullopt}});
  const Stmt loop(StmtNode{Loop{.axis = "i", .extent = 1, .body = store}});
  EXPECT_EQ(to_text(simplify(loop)), "for i in 1 {\n  T[i] = 1.0\n}\n");
}

using Point = std::map<AxisId, std::int64_t>;

/// The value of an integer or bool expression without loads.
std::int64_t value_at(const Expr& e, const Point& point) {
  if (const Integer* n = as<Integer>(e)) return n->value;
  if (const AxisRef* n = as<AxisRef>(e)) return point.at(n->axis);
  if (const Unary* n = as<Unary>(e))
    return n->op == UnaryOp::Not ? 1 - value_at(n->a, point) : -value_at(n->a, point);
  if (const Select* n = as<Select>(e))
    return value_at(value_at(n->condition, point) != 0 ? n->yes : n->no, point);
  const Binary& n = std::get<Binary>(*e);
  const std::int64_t a = value_at(n.a, point), b = value_at(n.b, point);
  switch (n.op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Sub:
      return a - b;
    case BinaryOp::Mul:
      return a * b;
    case BinaryOp::Div:
      return floor_div(a, b);
    case BinaryOp::Mod:
      return floor_mod(a, b);
    case BinaryOp::Min:
      return std::min(a, b);
    case BinaryOp::Max:
      return std::max(a, b);
    case BinaryOp::Less:
      return a < b;
    case BinaryOp::LessEqual:
      return a <= b;
    case BinaryOp::Equal:
      return a == b;
    case BinaryOp::And:
      return a & b;
    default:
      return a | b;
  }
}

/// Calls `f` at every point of the scope.
void for_each_point(const LoopScope& scope, const std::function<void(const Point&)>& f) {
  Point point;
  const std::function<void(std::size_t)> enter = [&](std::size_t depth) {
    if (depth == scope.loops().size()) return f(point);
    const auto& [name, extent] = scope.loops()[depth];
    const std::int64_t count = value_at(extent, point);
    for (std::int64_t n = 0; n < count; ++n) {
      point[name] = n;
      enter(depth + 1);
    }
  };
  enter(0);
}

/// Two or three loops, the last one a round of a split that may be shorter.
LoopScope random_scope(Rng& rng) {
  LoopScope scope;
  scope.enter("j", rng.between(1, 5));
  if (rng.chance(0.3)) scope.enter("i", rng.between(1, 4));
  const std::int64_t extent = rng.between(1, 17), factor = rng.between(1, extent);
  scope.enter("i.0", (extent + factor - 1) / factor);
  scope.enter("i.1", min(factor, extent - i0 * factor));
  return scope;
}

Expr random_condition(const LoopScope& scope, int depth, Rng& rng);

/// What schedules make: sums of scaled axes, quotients, remainders and extrema.
Expr random_index(const LoopScope& scope, int depth, Rng& rng) {
  if (depth == 0 || rng.chance(0.1)) {
    if (rng.chance(0.3)) return rng.between(-20, 20);
    return axis(rng.pick(std::span(scope.loops())).first) * rng.between(1, 9);
  }
  const Expr a = random_index(scope, depth - 1, rng);
  switch (rng.below(10)) {
    case 0:
      return a / rng.between(1, 12);
    case 1:
      return a % rng.between(1, 12);
    case 2:
      return min(a, random_index(scope, depth - 1, rng));
    case 3:
      return max(a, random_index(scope, depth - 1, rng));
    case 4:
      return a * rng.between(-3, 4);
    case 5:
      return a - random_index(scope, depth - 1, rng);
    case 6:
      return select(random_condition(scope, depth - 1, rng), a,
                    random_index(scope, depth - 1, rng));
    case 7:
      return unary(UnaryOp::Neg, a);
    case 8: {
      const std::int64_t divisor = rng.between(1, 12), factor = rng.between(-3, 4);
      return a / divisor * (divisor * factor) + a % divisor * factor;
    }
    default:
      return a + random_index(scope, depth - 1, rng);
  }
}

Expr random_condition(const LoopScope& scope, int depth, Rng& rng) {
  if (depth > 0 && rng.chance(0.3))
    return binary(rng.chance(0.5) ? BinaryOp::And : BinaryOp::Or,
                  random_condition(scope, depth - 1, rng), random_condition(scope, depth - 1, rng));
  if (depth > 0 && rng.chance(0.1))
    return unary(UnaryOp::Not, random_condition(scope, depth - 1, rng));
  constexpr BinaryOp comparisons[] = {BinaryOp::Less, BinaryOp::LessEqual, BinaryOp::Equal};
  return binary(rng.pick<BinaryOp>(comparisons), random_index(scope, depth, rng),
                random_index(scope, depth, rng));
}

std::string text_of(const LoopScope& scope) {
  std::string text;
  for (const auto& [name, extent] : scope.loops()) text += name + " in " + to_text(extent) + "\n";
  return text;
}

constexpr std::uint64_t random_cases = 4000;

class RandomIndex {
 public:
  explicit RandomIndex(std::uint64_t seed) : rng_(seed), scope(random_scope(rng_)) {
    const int depth = static_cast<int>(rng_.between(1, 4));
    e = rng_.chance(0.8) ? random_index(scope, depth, rng_) : random_condition(scope, depth, rng_);
    report = "seed " + std::to_string(seed) + "\n" + text_of(scope) + to_text(e);
  }

 private:
  Rng rng_;

 public:
  LoopScope scope;
  Expr e = 0;
  std::string report;
};

TEST(Simplify, KeepsTheValueAtEveryPoint) {
  for (std::uint64_t seed = 0; seed < random_cases; ++seed) {
    const RandomIndex random(seed);
    const Expr simple = simplify(random.e, random.scope);
    for_each_point(random.scope, [&](const Point& point) {
      ASSERT_EQ(value_at(simple, point), value_at(random.e, point))
          << random.report << "\nbecame " << to_text(simple);
    });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Simplify, DoesNothingMoreTheSecondTime) {
  for (std::uint64_t seed = 0; seed < random_cases; ++seed) {
    const RandomIndex random(seed);
    const Expr once = simplify(random.e, random.scope);
    const Expr twice = simplify(once, random.scope);
    ASSERT_EQ(once, twice) << random.report << "\nbecame " << to_text(once) << "\nand then "
                           << to_text(twice);
  }
}

TEST(Bounds, HoldAtEveryPoint) {
  for (std::uint64_t seed = 0; seed < random_cases; ++seed) {
    const RandomIndex random(seed);
    if (random.e.dtype() != DType::I64) continue;
    const auto range = bounds(random.e, random.scope);
    if (!range) continue;
    for_each_point(random.scope, [&](const Point& point) {
      const std::int64_t value = value_at(random.e, point);
      ASSERT_TRUE(range->min <= value && value <= range->max)
          << random.report << " is " << value << ", not within " << range->min << " and "
          << range->max;
    });
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tessera
