#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;

TestNode pad(const std::string& mode, const std::vector<double>& pads) {
  return TestNode("Pad").input({1, 3}, {1, 2, 3}).input({4}, pads, i64).attribute("mode", mode);
}

TEST(PadNodes, PadWithAConstant) {
  pad("constant", {0, 1, 1, 0}).expect({2, 4}, {0, 1, 2, 3, 0, 0, 0, 0});
  pad("constant", {0, 1, 0, -1}).input({}, {7}).expect({1, 3}, {7, 1, 2});
  TestNode("Pad")
      .input({1, 2}, {1, 2})
      .input({2}, {1, 1}, i64)
      .absent_input()
      .input({1}, {-1}, i64)
      .expect({1, 4}, {0, 1, 2, 0});
  TestNode("Pad", 2)
      .input({2}, {1, 2})
      .attribute("pads", std::vector<std::int64_t>{1, 0})
      .attribute("value", 5.0)
      .expect({3}, {5, 1, 2});
}

TEST(PadNodes, PadWithElements) {
  pad("edge", {0, 2, 0, 1}).expect({1, 6}, {1, 1, 1, 2, 3, 3});
  pad("reflect", {0, 2, 0, 1}).expect({1, 6}, {3, 2, 1, 2, 3, 2});
  pad("wrap", {0, 2, 0, 1}).expect({1, 6}, {2, 3, 1, 2, 3, 1});
  pad("reflect", {0, -1, 0, 1}).expect({1, 3}, {2, 3, 2});
  pad("reflect", {1, 0, 0, 0}).expect({2, 3}, {1, 2, 3, 1, 2, 3});
}

TEST(PadNodes, RefuseModesAndPadsThatDoNotFit) {
  EXPECT_EQ(pad("mirror", {0, 0, 0, 0}).refusal(),
            "Pad \"node\": mode mirror, expected constant, reflect, edge or wrap");
  EXPECT_EQ(TestNode("Pad").input({2}, {1, 2}).input({1}, {1}, i64).refusal(),
            "Pad \"node\": 1 pads, expected two for each of 1 dimensions");
  EXPECT_EQ(pad("edge", {0, 1e15, 0, 0}).refusal(),
            "Pad: padding [0, 1000000000000000] and [0, 0]; expected at most 2^40 elements");
}

TEST(PadNodes, CutAndPadAroundTheCenter) {
  TestNode("CenterCropPad")
      .input({1, 4}, {1, 2, 3, 4})
      .input({2}, {2, 2}, i64)
      .expect({2, 2}, {2, 3, 0, 0});
  TestNode("CenterCropPad")
      .input({2, 2}, {1, 2, 3, 4})
      .input({1}, {5}, i64)
      .attribute("axes", std::vector<std::int64_t>{-1})
      .expect({2, 5}, {0, 1, 2, 0, 0, 0, 3, 4, 0, 0});
  EXPECT_EQ(TestNode("CenterCropPad").input({2}, {1, 2}).input({2}, {1, 1}, i64).refusal(),
            "CenterCropPad \"node\": extents [1, 1] for axes [0]");
}

TEST(PadNodes, KeepATriangle) {
  const auto trilu = [] { return TestNode("Trilu").input({2, 3}, {1, 2, 3, 4, 5, 6}); };
  trilu().expect({2, 3}, {1, 2, 3, 0, 5, 6});
  trilu().input({}, {1}, i64).expect({2, 3}, {0, 2, 3, 0, 0, 6});
  trilu().input({}, {-1}, i64).attribute("upper", 0).expect({2, 3}, {0, 0, 0, 4, 0, 0});
  EXPECT_EQ(TestNode("Trilu").input({2}, {1, 2}).refusal(),
            "Trilu \"node\": shape [2], expected two dimensions or more");
  EXPECT_EQ(trilu().input({}, {1}).refusal(), "Trilu \"node\": k is float, expected int64");
}

}  // namespace
}  // namespace tessera
