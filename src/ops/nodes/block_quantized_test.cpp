#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

constexpr ElementType u8 = ElementType::UInt8;

/// One column of nine weights of four bits in blocks of eight: 0 .. 8, with scales 1 and 10.
TestNode product() {
  std::vector<double> x(9, 0);
  x[1] = 1;
  x[8] = 1;
  return TestNode("MatMulNBits", 1, "com.microsoft")
      .input({1, 9}, x)
      .input({1, 2, 4}, {0x10, 0x32, 0x54, 0x76, 0x08, 0, 0, 0}, u8)
      .input({2}, {1, 10})
      .attribute("K", 9)
      .attribute("N", 1)
      .attribute("bits", 4)
      .attribute("block_size", 8);
}

TEST(BlockQuantizedNodes, UnpackWeights) {
  product().expect({1, 1}, {(1 - 8) + 10.0 * (8 - 8)});
  product().input({1}, {0x21}, u8).expect({1, 1}, {(1 - 1) + 10.0 * (8 - 2)});
  product().input({2}, {0.5, 1.5}).expect({1, 1}, {(1 - 0.5) + 10 * (8 - 1.5)});
  product().absent_input().absent_input().input({1}, {100}).expect({1, 1}, {93});
}

TEST(BlockQuantizedNodes, UnpackBytes) {
  TestNode("MatMulNBits", 1, "com.microsoft")
      .input({1, 8}, {1, 0, 0, 0, 0, 0, 0, 0})
      .input({2, 1, 8}, {200, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0}, u8)
      .input({2}, {1, 2})
      .attribute("K", 8)
      .attribute("N", 2)
      .attribute("bits", 8)
      .attribute("block_size", 8)
      .expect({1, 2}, {72, -56});
}

TEST(BlockQuantizedNodes, RefuseWhatDoesNotFit) {
  EXPECT_EQ(
      product().attribute("bits", 3).refusal(),
      "9 x 1 weights of 3 bits in blocks of 8, expected 2, 4 or 8 bits in blocks of at least 8");
  EXPECT_EQ(product().attribute("K", 10).refusal(), "input [1, 9] for weights of depth 10");
  EXPECT_EQ(product().input({2}, {0, 0}, u8).refusal(),
            "input 3 of shape [2], expected 1 elements");
  EXPECT_EQ(
      product().absent_input().input({9}, std::vector<double>(9, 0), ElementType::Int32).refusal(),
      "a group index, expected none");
  EXPECT_EQ(TestNode("MatMulNBits", 1, "com.microsoft")
                .input({1, 8}, std::vector<double>(8, 0))
                .unknown_input({1, 1, 4}, u8)
                .input({1}, {1})
                .attribute("K", 8)
                .attribute("N", 1)
                .attribute("block_size", 8)
                .refusal(),
            "input 1 is known only when the network runs");
}

}  // namespace
}  // namespace tessera
