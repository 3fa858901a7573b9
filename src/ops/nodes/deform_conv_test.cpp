#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

/// One tap on an image of two rows and two columns, moved by an offset down and right.
TestNode moved(double down, double right) {
  return TestNode("DeformConv", 22)
      .input({1, 1, 2, 2}, {1, 2, 3, 4})
      .input({1, 1, 1, 1}, {10})
      .input({1, 2, 2, 2}, {down, down, down, down, right, right, right, right});
}

TEST(DeformConvNodes, ReadBetweenElements) {
  moved(0, 0).expect({1, 1, 2, 2}, {10, 20, 30, 40});
  moved(0, 0.5).expect({1, 1, 2, 2}, {15, 10, 35, 20});
  moved(1, 0).expect({1, 1, 2, 2}, {30, 40, 0, 0});
  moved(-0.5, 0).expect({1, 1, 2, 2}, {5, 10, 20, 30});
}

TEST(DeformConvNodes, AddABiasAndMaskTaps) {
  moved(0, 0).input({1}, {7}).expect({1, 1, 2, 2}, {17, 27, 37, 47});
  moved(0, 0)
      .absent_input()
      .input({1, 1, 2, 2}, {1, 0, 0.5, 1})
      .expect({1, 1, 2, 2}, {10, 0, 15, 40});
}

TEST(DeformConvNodes, HaveOffsetsForGroupsOfChannels) {
  TestNode("DeformConv", 22)
      .input({1, 2, 1, 2}, {1, 2, 3, 4})
      .input({1, 2, 1, 1}, {1, 10})
      .input({1, 4, 1, 2}, {0, 0, 0, 0, 0, 0, 1, 1})
      .attribute("offset_group", 2)
      .expect({1, 1, 1, 2}, {41, 2});
  EXPECT_EQ(moved(0, 0).attribute("offset_group", 2).refusal(),
            "DeformConv \"node\": input [1, 1, 2, 2] and weights [1, 1, 1, 1] in 1 groups and 2 of "
            "offsets, expected images of four dimensions that these divide");
}

}  // namespace
}  // namespace tessera
