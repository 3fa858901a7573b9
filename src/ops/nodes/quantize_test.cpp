#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;

TEST(QuantizeNodes, RoundHalfToEvenAndSaturate) {
  TestNode("QuantizeLinear")
      .input({6}, {0, 1, 3, -1000, 1000, 254})
      .input({}, {2})
      .input({}, {128}, UInt8)
      .expect({6}, {128, 128, 130, 0, 255, 255}, UInt8);
  TestNode("QuantizeLinear")
      .input({3}, {-3, -300, 300})
      .input({}, {2})
      .input({}, {0}, Int8)
      .expect({3}, {-2, -128, 127}, Int8);
  TestNode("QuantizeLinear").input({1}, {5}).input({}, {1}).expect({1}, {5}, UInt8);
  EXPECT_EQ(
      TestNode("QuantizeLinear").input({1}, {5}).input({}, {1}).input({}, {1}, Int64).refusal(),
      "QuantizeLinear \"node\": quantises to int64, expected an integer of at most 16 bits");
}

TEST(QuantizeNodes, TakeAScalePerChannelOrBlock) {
  TestNode("QuantizeLinear")
      .input({1, 2, 2}, {1, 2, 3, 4})
      .input({2}, {1, 2})
      .input({2}, {0, 10}, UInt8)
      .expect({1, 2, 2}, {1, 2, 12, 12}, UInt8);
  TestNode("DequantizeLinear")
      .input({1, 2, 2}, {1, 2, 12, 13}, UInt8)
      .input({2}, {1, 2})
      .input({2}, {0, 10}, UInt8)
      .expect({1, 2, 2}, {1, 2, 4, 6});
  TestNode("DequantizeLinear")
      .input({1, 3}, {1, 2, 3}, Int8)
      .input({1, 2}, {10, 100})
      .attribute("block_size", std::int64_t{2})
      .expect({1, 3}, {10, 20, 300});
  EXPECT_EQ(TestNode("DequantizeLinear").input({3}, {1, 2, 3}, Int8).input({2}, {1, 2}).refusal(),
            "DequantizeLinear \"node\": input 1 has shape [2], which does not fit [3]");
}

TEST(QuantizeNodes, DequantizeIntegersOfAnyType) {
  TestNode("DequantizeLinear").input({2}, {-3, 7}, Int32).input({}, {0.5}).expect({2}, {-1.5, 3.5});
  EXPECT_EQ(TestNode("DequantizeLinear").input({1}, {1}, Int32).input({}, {1}, Int32).refusal(),
            "DequantizeLinear \"node\": expected a real scale and a zero point of the type of the "
            "values");
}

TEST(QuantizeNodes, FindScaleAndZeroPoint) {
  const TestNode node = TestNode("DynamicQuantizeLinear").input({3}, {-1, 0, 1.55}).outputs(3);
  node.expect(0, {3}, {0, 100, 255}, UInt8);
  node.expect(1, {}, {0.01});
  node.expect(2, {}, {100}, UInt8);
  const TestNode flat = TestNode("DynamicQuantizeLinear").input({2}, {0, 0}).outputs(3);
  flat.expect(0, {2}, {0, 0}, UInt8);
}

}  // namespace
}  // namespace tessera
