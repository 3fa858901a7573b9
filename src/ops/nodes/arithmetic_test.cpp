#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;

TestNode on(const std::string& op, const std::vector<double>& a, const std::vector<double>& b,
            ElementType element) {
  return TestNode(op)
      .input({static_cast<std::int64_t>(a.size())}, a, element)
      .input({static_cast<std::int64_t>(b.size())}, b, element);
}

TEST(ArithmeticNodes, WrapNarrowIntegers) {
  on("Add", {200, 1}, {100, 2}, UInt8).expect({2}, {44, 3}, UInt8);
  on("Sub", {3, 5}, {4, 2}, UInt8).expect({2}, {255, 3}, UInt8);
  on("Mul", {100, -3}, {2, 4}, Int8).expect({2}, {-56, -12}, Int8);
}

TEST(ArithmeticNodes, DivideIntegersTowardsZero) {
  on("Div", {7, -7, 7, -7}, {2, 2, -2, -2}, Int32).expect({4}, {3, -3, -3, 3}, Int32);
  on("Div", {7, 1}, {2, 4}, Float).expect({2}, {3.5, 0.25});
}

TEST(ArithmeticNodes, GiveRemaindersWithTheSignOfEitherSide) {
  on("Mod", {-4, 7, 5, 4, -7, 8}, {2, -3, 8, -2, 3, 5}, Int64)
      .expect({6}, {0, -2, 5, 0, 2, 3}, Int64);
  on("Mod", {-4, 7, 5, 4, -7, 8}, {2, -3, 8, -2, 3, 5}, Int64)
      .attribute("fmod", std::int64_t{1})
      .expect({6}, {0, 1, 5, 0, -1, 3}, Int64);
  on("Mod", {-4.5, 7.5}, {2, -3}, Float)
      .attribute("fmod", std::int64_t{1})
      .expect({2}, {-0.5, 1.5});
  EXPECT_EQ(on("Mod", {1}, {1}, Float).refusal(), "Mod \"node\": fmod is 0, expected 1 for floats");
}

TEST(ArithmeticNodes, DivideByZeroToZero) {
  for (const ElementType element : {UInt8, Int32, Int64, UInt64}) {
    on("Div", {7, 0}, {0, 0}, element).expect({2}, {0, 0}, element);
    on("Mod", {7, 0}, {0, 0}, element).expect({2}, {0, 0}, element);
    on("Mod", {7}, {0}, element).attribute("fmod", 1).expect({1}, {0}, element);
  }
}

TEST(ArithmeticNodes, DivideTheSmallestInteger) {
  constexpr double small = -0x1p31;
  on("Div", {small, small, small, 5}, {3, -1, small, small}, Int32)
      .expect({4}, {-715827882, small, 1, 0}, Int32);
  on("Mod", {small, 5}, {3, small}, Int32).expect({2}, {1, small + 5}, Int32);
}

/// The largest integers of 64 bits, told by the negative ones of the same bits.
TEST(ArithmeticNodes, TakeUnsignedIntegersBeyondTheSignedOnes) {
  constexpr double half = -0x1p63;  // 2^63
  on("Div", {-1, half, 7, -1}, {10, half, -1, -2}, UInt64)
      .expect({4}, {0x1.999999999999ap60, 1, 0, 1}, UInt64);
  on("Mod", {-1, half, 7}, {10, 3, -1}, UInt64).expect({3}, {5, 2, 7}, UInt64);
  on("Max", {-1, 3}, {7, 4}, UInt64).expect({2}, {-1, 4}, UInt64);
  on("Min", {-1, 3}, {7, 4}, UInt64).expect({2}, {7, 3}, UInt64);
  const auto shifted = [&](const std::string& direction) {
    return on("BitShift", {-1, 1, -1}, {63, 63, 0}, UInt64).attribute("direction", direction);
  };
  shifted("LEFT").expect({3}, {half, half, -1}, UInt64);
  shifted("RIGHT").expect({3}, {1, 0, -1}, UInt64);
}

TEST(ArithmeticNodes, GiveNothingForNothing) {
  TestNode("Mul").input({2, 0}, {}).input({2, 1}, {1, 2}).expect({2, 0}, {});
}

TEST(ArithmeticNodes, FoldAnyNumberOfOperands) {
  const auto three = [](const std::string& op) {
    return TestNode(op).input({2}, {1, 5}).input({2}, {4, 2}).input({}, {3});
  };
  three("Sum").expect({2}, {8, 10});
  three("Mean").expect({2}, {8.0 / 3, 10.0 / 3});
  three("Max").expect({2}, {4, 5});
  three("Min").expect({2}, {1, 2});
  TestNode("Max").input({2}, {1, 5}).expect({2}, {1, 5});
  EXPECT_EQ(TestNode("Sum").input({1}, {1}).absent_input().refusal(),
            "Sum \"node\": input 1 is absent or has no elements");
  EXPECT_EQ(TestNode("Sum").input({1}, {1}).input({1}, {1}, Int32).refusal(),
            "Sum \"node\": dtypes f32 and i32 differ");
}

TEST(ArithmeticNodes, PlaceTheSecondOperandByAxisBeforeVersion7) {
  const auto add = [](std::int64_t axis) {
    return TestNode("Add", 6)
        .input({2, 2}, {1, 2, 3, 4})
        .input({2}, {10, 20})
        .attribute("broadcast", std::int64_t{1})
        .attribute("axis", axis);
  };
  add(0).expect({2, 2}, {11, 12, 23, 24});
  add(1).expect({2, 2}, {11, 22, 13, 24});
  EXPECT_EQ(add(2).refusal(), "Add \"node\": axis 2 does not place shape [2] in [2, 2]");
}

TEST(ArithmeticNodes, RaiseToPowers) {
  on("Pow", {2, 3, 4}, {2, 0.5, 3}, Float).expect({3}, {4, 1.7320508, 64});
  on("Pow", {2, -3, 5, 7}, {40, 3, 0, 1}, Int64).expect({4}, {1099511627776.0, -27, 1, 7}, Int64);
  TestNode("Pow").input({3}, {1, 2, 3}).input({3}, {4, 5, 6}, Int64).expect({3}, {1, 32, 729});
  TestNode("Pow")
      .input({3}, {1, 2, 3}, Int32)
      .input({3}, {4, 5, 6})
      .expect({3}, {1, 32, 729}, Int32);
  TestNode("Pow").input({2}, {9, 2}).input({}, {0.5}).expect({2}, {3, 1.4142135});
  TestNode("Pow").input({2}, {9, 2}).input({1, 1}, {2}).expect({1, 2}, {81, 4});
}

TEST(ArithmeticNodes, ShiftBits) {
  const auto shift = [](ElementType element, const std::string& direction) {
    return on("BitShift", {16, 4, 129}, {1, 2, 1}, element).attribute("direction", direction);
  };
  shift(UInt8, "LEFT").expect({3}, {32, 16, 2}, UInt8);
  shift(UInt64, "LEFT").expect({3}, {32, 16, 258}, UInt64);
  shift(UInt8, "RIGHT").expect({3}, {8, 1, 64}, UInt8);
  EXPECT_EQ(shift(UInt8, "UP").refusal(),
            "BitShift \"node\": direction is \"UP\", expected LEFT or RIGHT");
}

TEST(ArithmeticNodes, JoinBits) {
  on("BitwiseAnd", {12, -1, -8}, {10, 77, -3}, Int32).expect({3}, {8, 77, -8}, Int32);
  on("BitwiseOr", {12, -1, -8}, {10, 77, 3}, Int64).expect({3}, {14, -1, -5}, Int64);
  on("BitwiseXor", {12, 255}, {10, 1}, UInt8).expect({2}, {6, 254}, UInt8);
  EXPECT_EQ(on("BitwiseAnd", {1}, {1}, Float).refusal(),
            "BitwiseAnd \"node\": expected integers of one type");
}

TEST(ArithmeticNodes, RefuseWhatDoesNotFit) {
  EXPECT_EQ(on("Add", {1}, {1}, Bool).refusal(), "Add \"node\": not defined for bool");
  EXPECT_EQ(on("Add", {1, 2}, {1, 2, 3}, Float).refusal(),
            "Add: shapes [2] and [3] do not broadcast");
  EXPECT_EQ(TestNode("Add").input({1}, {1}).input({1}, {1}, Int32).refusal(),
            "Add \"node\": dtypes f32 and i32 differ");
}

}  // namespace
}  // namespace tessera
