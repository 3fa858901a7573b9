#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using Attributes = std::map<std::string, Attribute>;

/// 1 2 3 4 brought to `size` elements.
TestNode row(std::int64_t size, const Attributes& attributes) {
  TestNode node("Resize");
  node.input({1, 4}, {1, 2, 3, 4}).absent_input().absent_input();
  node.input({2}, {1, static_cast<double>(size)}, ElementType::Int64);
  for (const auto& [name, value] : attributes) node.attribute(name, value);
  return node;
}

TestNode scaled(const std::vector<double>& scales, const Attributes& attributes) {
  TestNode node("Resize");
  node.input({1, 4}, {1, 2, 3, 4}).input({0}, {}).input({2}, scales);
  for (const auto& [name, value] : attributes) node.attribute(name, value);
  return node;
}

std::string text(const char* value) { return value; }

TEST(ResizeNodes, TakeTheNearestElement) {
  row(8, {}).expect({1, 8}, {1, 1, 2, 2, 3, 3, 4, 4});
  row(2, {}).expect({1, 2}, {1, 3});
  row(2, {{"nearest_mode", text("round_prefer_ceil")}}).expect({1, 2}, {2, 4});
  row(2, {{"nearest_mode", text("ceil")}}).expect({1, 2}, {2, 4});
  row(3, {{"nearest_mode", text("floor")}, {"coordinate_transformation_mode", text("asymmetric")}})
      .expect({1, 3}, {1, 2, 3});
  scaled({2, 1}, {}).expect({2, 4}, {1, 2, 3, 4, 1, 2, 3, 4});
}

TEST(ResizeNodes, InterpolateLinearly) {
  const Attribute linear = text("linear");
  row(8, {{"mode", linear}}).expect({1, 8}, {1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4});
  row(7, {{"mode", linear}, {"coordinate_transformation_mode", text("align_corners")}})
      .expect({1, 7}, {1, 1.5, 2, 2.5, 3, 3.5, 4});
  row(1, {{"mode", linear}, {"coordinate_transformation_mode", text("pytorch_half_pixel")}})
      .expect({1, 1}, {1});
  row(1, {{"mode", linear}}).expect({1, 1}, {2.5});
}

TEST(ResizeNodes, InterpolateByCubics) {
  row(8, {{"mode", text("cubic")}})
      .expect({1, 8}, {0.89453125, 1.19140625, 1.66796875, 2.296875, 2.703125, 3.33203125,
                       3.80859375, 4.10546875});
  row(8, {{"mode", text("cubic")}, {"exclude_outside", 1}, {"cubic_coeff_a", -0.5}})
      .expect({1, 8},
              {0.9117647, 1.1678832, 1.7099236, 2.25, 2.75, 3.2900763, 3.8321168, 4.0882354});
}

TEST(ResizeNodes, WidenTheKernelWhenAntialiased) {
  // a triangle over four elements: 1/8 3/8 3/8 1/8, cut at the ends
  row(2, {{"mode", text("linear")}, {"antialias", 1}, {"exclude_outside", 1}})
      .expect({1, 2}, {(3 * 1 + 3 * 2 + 3) / 7.0, (2 + 3 * 3 + 3 * 4) / 7.0});
}

TEST(ResizeNodes, ExtrapolateBeyondARegion) {
  TestNode("Resize")
      .input({1, 4}, {1, 2, 3, 4})
      .input({4}, {0, 0.5, 1, 1.5})
      .absent_input()
      .input({2}, {1, 4}, ElementType::Int64)
      .attribute("mode", text("linear"))
      .attribute("coordinate_transformation_mode", text("tf_crop_and_resize"))
      .attribute("extrapolation_value", 9.0)
      .expect({1, 4}, {2.5, 3.5, 9, 9});
}

TEST(ResizeNodes, KeepProportions) {
  const auto kept = [](const char* policy) {
    return TestNode("Resize")
        .input({1, 2}, {1, 2})
        .absent_input()
        .absent_input()
        .input({2}, {2, 6}, ElementType::Int64)
        .attribute("keep_aspect_ratio_policy", text(policy));
  };
  kept("not_larger").expect({2, 4}, {1, 1, 2, 2, 1, 1, 2, 2});
  kept("not_smaller").expect({3, 6}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  EXPECT_EQ(kept("crop").refusal(),
            "Resize \"node\": keep_aspect_ratio_policy crop, expected stretch, not_larger or "
            "not_smaller");
}

TEST(ResizeNodes, ResizeSomeDimensions) {
  TestNode("Resize")
      .input({2, 1}, {1, 2})
      .absent_input()
      .input({1}, {2})
      .attribute("axes", std::vector<std::int64_t>{-2})
      .expect({4, 1}, {1, 1, 2, 2});
}

TEST(ResizeNodes, FollowOlderVersions) {
  TestNode("Upsample", 7)
      .input({1, 2}, {1, 2})
      .attribute("scales", std::vector<double>{2, 2})
      .expect({2, 4}, {1, 1, 2, 2, 1, 1, 2, 2});
  TestNode("Upsample", 9)
      .input({2}, {1, 2})
      .input({1}, {2})
      .attribute("mode", text("linear"))
      .expect({4}, {1, 1.5, 2, 2});
  TestNode("Resize", 10).input({4}, {1, 2, 3, 4}).input({1}, {0.5}).expect({2}, {1, 3});
}

TEST(ResizeNodes, TruncateIntegers) {
  TestNode("Resize")
      .input({2}, {1, 4}, ElementType::UInt8)
      .absent_input()
      .input({1}, {2})
      .attribute("mode", text("linear"))
      .expect({4}, {1, 1, 3, 4}, ElementType::UInt8);
}

TEST(ResizeNodes, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(row(2, {{"mode", text("lanczos")}}).refusal(),
            "Resize \"node\": mode lanczos, expected nearest, linear or cubic");
  EXPECT_EQ(row(2, {{"coordinate_transformation_mode", text("x")}}).refusal(),
            "Resize \"node\": no known coordinate transformation mode x");
  EXPECT_EQ(row(2, {{"nearest_mode", text("x")}}).refusal(),
            "Resize \"node\": no known nearest mode x");
  EXPECT_EQ(row(0, {}).refusal(), "Resize \"node\": extent 4 to 0, expected 1 to 2^40");
  EXPECT_EQ(row(1 << 24, {}).refusal(),
            "Resize \"node\": extent 4 to 16777216, expected 1 to 2^22 taps");
  EXPECT_EQ(TestNode("Resize").input({2}, {1, 2}).refusal(),
            "Resize \"node\": 0 scales and 0 sizes, expected one for each of 1 dimensions");
  EXPECT_EQ(TestNode("Resize").input({2}, {1, 2}).absent_input().unknown_input({1}).refusal(),
            "Resize \"node\": its scales is known only when the network runs");
}

}  // namespace
}  // namespace tessera
