#include "ops/nodes/test_node.h"

#include <limits>

namespace tessera {
namespace {

using enum ElementType;

TEST(ElementwiseNodes, ApplyFunctions) {
  TestNode("Erf").input({2}, {0, 1}).expect({2}, {0, 0.842701});
  TestNode("Round").input({4}, {0.5, 1.5, -2.5, 2.4}).expect({4}, {0, 2, -2, 2});
  TestNode("Sigmoid").input({2}, {0, 2}).expect({2}, {0.5, 0.880797});
  TestNode("Acos").input({2}, {0, 0.5}).expect({2}, {1.570796, 1.047198});
  TestNode("Reciprocal").input({2}, {4, -2}).expect({2}, {0.25, -0.5});
}

TEST(ElementwiseNodes, WrapTheSmallestIntegerOnItself) {
  TestNode("Neg").input({3}, {-128, 5, -1}, Int8).expect({3}, {-128, -5, 1}, Int8);
  TestNode("Abs").input({3}, {-128, 5, -1}, Int8).expect({3}, {-128, 5, 1}, Int8);
}

TEST(ElementwiseNodes, InvertBits) {
  TestNode("BitwiseNot").input({2}, {0, 5}, UInt8).expect({2}, {255, 250}, UInt8);
  TestNode("BitwiseNot").input({2}, {0, 5}, Int32).expect({2}, {-1, -6}, Int32);
  EXPECT_EQ(TestNode("BitwiseNot").input({1}, {0}).refusal(),
            "BitwiseNot \"node\": expected integers");
}

TEST(ElementwiseNodes, ClipBetweenAttributesOrInputs) {
  TestNode("Clip", 6)
      .input({3}, {-2, 0.5, 9})
      .attribute("min", -1.0)
      .attribute("max", 6.0)
      .expect({3}, {-1, 0.5, 6});
  TestNode("Clip").input({3}, {-2, 0.5, 9}).absent_input().input({}, {6}).expect({3}, {-2, 0.5, 6});
  TestNode("Clip")
      .input({3}, {-2, 0, 9}, Int64)
      .input({}, {-1}, Int64)
      .expect({3}, {-1, 0, 9}, Int64);
  EXPECT_EQ(TestNode("Clip").input({1}, {0}).input({2}, {0, 1}).refusal(),
            "Clip \"node\": input 1 has shape [2], expected one element");
  EXPECT_EQ(TestNode("Clip").input({1}, {0}).input({}, {0}, Int64).refusal(),
            "Clip \"node\": bounds are not of the type of what they bound");
}

TEST(ElementwiseNodes, CastIntegersToTheWidthOfTheirType) {
  const auto cast = [](std::int64_t to) { return TestNode("Cast").attribute("to", to); };
  cast(2).input({4}, {300, -1, 255, 7}, Int64).expect({4}, {44, 255, 255, 7}, UInt8);
  cast(3).input({3}, {200, -129, 5}, Int32).expect({3}, {-56, 127, 5}, Int8);
  cast(12).input({1}, {-1}, Int64).expect({1}, {4294967295.0}, UInt32);
  cast(6).input({3}, {1.9, -1.9, 0}).expect({3}, {1, -1, 0}, Int32);
  cast(9).input({3}, {0.5, 0, -3}).expect({3}, {1, 0, 1}, Bool);
  cast(1).input({2}, {1, 0}, Bool).expect({2}, {1, 0});
  cast(10).input({2}, {1, 0.5}).expect({2}, {1, 0.5}, Float16);
  EXPECT_EQ(cast(8).input({1}, {0}).refusal(),
            "Cast \"node\": to is 8, expected a type of numbers");
  TestNode("CastLike").input({1}, {1.5}).input({1}, {0}, Int64).expect({1}, {1}, Int64);
}

/// The largest integers of 64 bits, told by the negative ones of the same bits.
TEST(ElementwiseNodes, TakeUnsignedIntegersBeyondTheSignedOnes) {
  const auto cast = [](std::int64_t to) { return TestNode("Cast").attribute("to", to); };
  cast(1).input({3}, {-1, -0x1p63, 5}, UInt64).expect({3}, {0x1p64, 0x1p63, 5});
  cast(13).input({4}, {0x1p63, 0x1p64, 0x1.8p63, 5}).expect({4}, {-0x1p63, -1, -0x1p62, 5}, UInt64);
  TestNode("Abs").input({2}, {-1, 5}, UInt64).expect({2}, {-1, 5}, UInt64);
  TestNode("Sign").input({3}, {-1, 5, 0}, UInt64).expect({3}, {1, 1, 0}, UInt64);
  TestNode("Clip")
      .input({3}, {-1, 5, 0}, UInt64)
      .input({}, {2}, UInt64)
      .input({}, {-0x1p63}, UInt64)
      .expect({3}, {-0x1p63, 5, 2}, UInt64);
}

TEST(ElementwiseNodes, KeepBits) {
  const auto cast = [](std::int64_t to) { return TestNode("BitCast").attribute("to", to); };
  cast(6).input({2}, {1, -2}).expect({2}, {0x3f800000, -0x40000000}, Int32);
  cast(1).input({1}, {0x3f800000}, Int32).expect({1}, {1});
  cast(2).input({2}, {-1, 5}, Int8).expect({2}, {255, 5}, UInt8);
  EXPECT_EQ(cast(7).input({1}, {0}).refusal(), "to is 7, expected a type as large as float");
  EXPECT_EQ(cast(6).unknown_input({1}).refusal(),
            "bits of floats that are known only when the network runs");
}

TEST(ElementwiseNodes, GiveNothingForNothing) {
  TestNode("Exp").input({0, 3}, {}).expect({0, 3}, {});
  TestNode("Cast").attribute("to", 7).input({0}, {}).expect({0}, {}, Int64);
  TestNode("CastLike").input({1}, {1.5}).input({0}, {}, Int64).expect({1}, {1}, Int64);
}

TEST(ElementwiseNodes, DropNothing) {
  const auto dropout = [](std::int64_t version) {
    return TestNode("Dropout", version).input({2}, {1, 2}).outputs(2);
  };
  dropout(13).expect(0, {2}, {1, 2});
  dropout(13).expect(1, {2}, {1, 1}, Bool);
  dropout(7).expect(1, {2}, {1, 1}, Float);
  dropout(13).input({}, {0.5}).input({}, {0}, Bool).expect(0, {2}, {1, 2});
  dropout(13).input({}, {0}).input({}, {1}, Bool).expect(0, {2}, {1, 2});
  EXPECT_EQ(dropout(13).input({}, {0.5}).input({}, {1}, Bool).refusal(),
            "Dropout \"node\": training_mode is not known to be false");
}

}  // namespace
}  // namespace tessera
