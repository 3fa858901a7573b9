#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;
using Integers = std::vector<std::int64_t>;

/// 1 2 3 4 under a window of two ones.
TestNode on_line(const std::string& op, std::int64_t version = 22) {
  return TestNode(op, version).input({1, 1, 4}, {1, 2, 3, 4}).input({1, 1, 2}, {1, 1});
}

TEST(ConvNodes, PadAsAskedFor) {
  on_line("Conv").expect({1, 1, 3}, {3, 5, 7});
  on_line("Conv").attribute("pads", Integers{1, 0}).expect({1, 1, 4}, {1, 3, 5, 7});
  on_line("Conv").attribute("auto_pad", "SAME_UPPER").expect({1, 1, 4}, {3, 5, 7, 4});
  on_line("Conv").attribute("auto_pad", "SAME_LOWER").expect({1, 1, 4}, {1, 3, 5, 7});
  on_line("Conv")
      .attribute("auto_pad", "VALID")
      .attribute("strides", Integers{2})
      .expect({1, 1, 2}, {3, 7});
  on_line("Conv").attribute("dilations", Integers{3}).expect({1, 1, 1}, {5});
  on_line("Conv").input({1}, {10}).expect({1, 1, 3}, {13, 15, 17});
}

TEST(ConvNodes, RefuseAttributesThatDoNotFit) {
  EXPECT_EQ(on_line("Conv").attribute("auto_pad", "SOME").refusal(),
            "Conv \"node\": auto_pad is \"SOME\", expected NOTSET, VALID, SAME_UPPER or "
            "SAME_LOWER");
  EXPECT_EQ(on_line("Conv").attribute("strides", Integers{1, 1}).refusal(),
            "Conv \"node\": strides is [1, 1], expected one value for each of 1 spatial "
            "dimensions");
  EXPECT_EQ(on_line("Conv").attribute("strides", Integers{0}).refusal(),
            "Conv \"node\": stride 0 and dilation 1, expected positive ones");
  EXPECT_EQ(on_line("Conv").attribute("pads", Integers{1}).refusal(),
            "Conv \"node\": pads are [1], expected two for each of 1 spatial dimensions");
  EXPECT_EQ(TestNode("Conv").input({1, 1}, {1}).input({1, 1, 1}, {1}).refusal(),
            "Conv \"node\": shape [1, 1]; expected 1 to 3 spatial dimensions");
  EXPECT_EQ(TestNode("Conv").input({1, 1, 1, 1}, {1}).input({1, 1, 1}, {1}).refusal(),
            "Conv \"node\": input [1, 1, 1, 1] and weights [1, 1, 1]; expected one rank");
}

TEST(ConvNodes, SumIntegersLessTheirZeroPoints) {
  TestNode("ConvInteger")
      .input({1, 1, 3}, {2, 3, 4}, UInt8)
      .input({1, 1, 2}, {1, 2}, UInt8)
      .input({}, {1}, UInt8)
      .attribute("pads", Integers{1, 0})
      .expect({1, 1, 3}, {2, 5, 8}, Int32);
}

TEST(ConvNodes, QuantisePerChannel) {
  TestNode("QLinearConv")
      .input({1, 1, 2}, {3, 5}, UInt8)
      .input({}, {0.5})
      .input({}, {1}, UInt8)
      .input({2, 1, 1}, {3, 4}, UInt8)
      .input({2}, {1, 2})
      .input({2}, {2, 2}, UInt8)
      .input({}, {0.5})
      .input({}, {10}, UInt8)
      .input({2}, {1, 100}, Int32)
      .expect({1, 2, 2}, {13, 15, 218, 226}, UInt8);
}

TEST(ConvNodes, Transpose) {
  on_line("ConvTranspose").expect({1, 1, 5}, {1, 3, 5, 7, 4});
  const auto strided = [] { return on_line("ConvTranspose").attribute("strides", Integers{3}); };
  strided().expect({1, 1, 11}, {1, 1, 0, 2, 2, 0, 3, 3, 0, 4, 4});
  strided()
      .attribute("pads", Integers{1, 1})
      .attribute("output_padding", Integers{1})
      .expect({1, 1, 10}, {1, 0, 2, 2, 0, 3, 3, 0, 4, 4});
  strided()
      .attribute("output_shape", Integers{12})
      .expect({1, 1, 12}, {1, 1, 0, 2, 2, 0, 3, 3, 0, 4, 4, 0});
  on_line("ConvTranspose").attribute("auto_pad", "SAME_UPPER").expect({1, 1, 4}, {1, 3, 5, 7});
  on_line("ConvTranspose").attribute("auto_pad", "SAME_LOWER").expect({1, 1, 4}, {3, 5, 7, 4});
  EXPECT_EQ(on_line("ConvTranspose").attribute("output_shape", Integers{1, 2}).refusal(),
            "ConvTranspose \"node\": output_shape is [1, 2], expected one value for each of 1 "
            "spatial dimensions");
}

}  // namespace
}  // namespace tessera
