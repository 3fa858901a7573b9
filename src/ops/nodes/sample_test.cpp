#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;

/// Samples 1 2 3 4 in a row at the places `x`, counted in elements.
TestNode sample(const std::vector<double>& places, const char* mode, const char* padding) {
  std::vector<double> grid;
  for (const double place : places) grid.push_back((2 * place + 1) / 4 - 1);
  return TestNode("GridSample")
      .input({1, 1, 4}, {1, 2, 3, 4})
      .input({1, static_cast<std::int64_t>(places.size()), 1}, grid)
      .attribute("mode", std::string(mode))
      .attribute("padding_mode", std::string(padding));
}

TEST(SampleNodes, ReadTheNearestElement) {
  sample({0.2, 2.8, -1, 5}, "nearest", "zeros").expect({1, 1, 4}, {1, 4, 0, 0});
  sample({-1, -3, 5}, "nearest", "border").expect({1, 1, 3}, {1, 1, 4});
  sample({-1, -2, 4, 9}, "nearest", "reflection").expect({1, 1, 4}, {1, 2, 4, 2});
}

TEST(SampleNodes, InterpolateLinearly) {
  sample({0.5, 2.25, -0.5, 3.5}, "linear", "zeros").expect({1, 1, 4}, {1.5, 3.25, 0.5, 2});
  sample({-0.5, 9}, "bilinear", "border").expect({1, 1, 2}, {1, 4});
  sample({-1.25, 3.75}, "linear", "reflection").expect({1, 1, 2}, {1.25, 4});
}

TEST(SampleNodes, InterpolateByCubics) {
  sample({1.5, 1}, "cubic", "zeros").expect({1, 1, 2}, {2.5, 2});
  sample({0.5}, "bicubic", "border").expect({1, 1, 1}, {1.40625});
}

TEST(SampleNodes, TakeTheFirstCoordinateAlongTheLastDimension) {
  TestNode("GridSample")
      .input({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})
      .input({1, 1, 2, 2}, {-1, 1, 1, 0})
      .attribute("align_corners", 1)
      .expect({1, 1, 1, 2}, {4, 4.5});
}

TEST(SampleNodes, RefuseGridsAndModesThatDoNotFit) {
  EXPECT_EQ(sample({0}, "lanczos", "zeros").refusal(),
            "GridSample \"node\": mode lanczos, expected nearest, linear or cubic");
  EXPECT_EQ(sample({0}, "linear", "ones").refusal(),
            "GridSample \"node\": padding_mode ones, expected zeros, border or reflection");
  EXPECT_EQ(TestNode("GridSample").input({1, 1, 2}, {1, 2}).input({1, 1, 2}, {0, 0}).refusal(),
            "GridSample \"node\": an image [1, 1, 2] and a grid [1, 1, 2]");
  EXPECT_EQ(TestNode("GridSample")
                .input({1, 1, 2}, {1, 2})
                .input({1, 1, 1}, {0}, ElementType::Int64)
                .refusal(),
            "GridSample \"node\": expected a grid of f32");
}

TEST(SampleNodes, MoveAGridByAMatrix) {
  const auto grid = [](std::int64_t aligns) {
    return TestNode("AffineGrid", 20)
        .input({1, 2, 3}, {1, 0, 10, 0, 2, 0})
        .input({4}, {1, 1, 2, 2}, i64)
        .attribute("align_corners", aligns);
  };
  grid(1).expect({1, 2, 2, 2}, {9, -2, 11, -2, 9, 2, 11, 2});
  grid(0).expect({1, 2, 2, 2}, {9.5, -1, 10.5, -1, 9.5, 1, 10.5, 1});
  EXPECT_EQ(TestNode("AffineGrid").input({1, 1, 2}, {1, 2}).input({3}, {1, 1, 1}, i64).refusal(),
            "AffineGrid \"node\": matrices [1, 1, 2] for an image [1, 1, 1]");
}

TEST(SampleNodes, AddBlocksIntoAnImage) {
  const auto blocks = [](const std::vector<double>& values, std::int64_t columns) {
    return TestNode("Col2Im")
        .input({1, 2, columns}, values)
        .input({1}, {4}, i64)
        .input({1}, {2}, i64);
  };
  blocks({1, 2, 3, 10, 20, 30}, 3).expect({1, 1, 4}, {1, 12, 23, 30});
  blocks({1, 2, 10, 20}, 2)
      .attribute("strides", std::vector<std::int64_t>{2})
      .expect({1, 1, 4}, {1, 10, 2, 20});
  blocks({1, 2, 10, 20}, 2)
      .attribute("dilations", std::vector<std::int64_t>{2})
      .expect({1, 1, 4}, {1, 2, 10, 20});
  EXPECT_EQ(blocks({1, 2}, 1).refusal(), "Col2Im \"node\": 1 columns, expected 3");
  EXPECT_EQ(
      TestNode("Col2Im").input({1, 1, 1}, {1}).input({1}, {4}, i64).input({1}, {2}, i64).refusal(),
      "Col2Im \"node\": blocks [2] of an image [4] in [1, 1, 1]");
}

}  // namespace
}  // namespace tessera
