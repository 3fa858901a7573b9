#include "ops/nodes/test_node.h"

#include <numeric>

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;
using Integers = std::vector<std::int64_t>;

/// A node on 0, 1, 2, .. in `shape`.
TestNode counting(const char* op, const Shape& shape, std::int64_t version = 23) {
  std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), 0);
  return TestNode(op, version).input(shape, values);
}

TestNode reshape(const std::vector<double>& shape) {
  return counting("Reshape", {2, 3}).input({static_cast<std::int64_t>(shape.size())}, shape, i64);
}

TEST(RearrangeNodes, Reshape) {
  const std::vector<double> values = {0, 1, 2, 3, 4, 5};
  reshape({3, 2}).expect({3, 2}, values);
  reshape({-1}).expect({6}, values);
  reshape({0, -1, 1}).expect({2, 3, 1}, values);
  EXPECT_EQ(reshape({4, -1}).refusal(),
            "Reshape \"node\": shape [4, -1] does not divide the elements of [2, 3]");
  EXPECT_EQ(reshape({6, 1, 0}).refusal(),
            "Reshape \"node\": shape [6, 1, 0] takes a dimension that [2, 3] lacks");
  EXPECT_EQ(reshape({4}).refusal(),
            "Reshape: shapes [2, 3] and [4] differ in their number of elements");
  EXPECT_EQ(counting("Reshape", {2}).unknown_input({1}, i64).refusal(),
            "Reshape \"node\": its shape is known only when the network runs");
}

TEST(RearrangeNodes, Flatten) {
  counting("Flatten", {2, 1, 3}).expect({2, 3}, {0, 1, 2, 3, 4, 5});
  counting("Flatten", {2, 1, 2}).attribute("axis", 0).expect({1, 4}, {0, 1, 2, 3});
  counting("Flatten", {2, 1, 2}).attribute("axis", -1).expect({2, 2}, {0, 1, 2, 3});
  EXPECT_EQ(counting("Flatten", {2}).attribute("axis", 2).refusal(),
            "Flatten \"node\": axis 2 for shape [2]");
}

TEST(RearrangeNodes, SqueezeAndUnsqueeze) {
  counting("Squeeze", {1, 2, 1}).expect({2}, {0, 1});
  counting("Squeeze", {1, 2, 1}, 11).attribute("axes", Integers{0}).expect({2, 1}, {0, 1});
  counting("Squeeze", {1, 2, 1}).input({1}, {-1}, i64).expect({1, 2}, {0, 1});
  EXPECT_EQ(counting("Squeeze", {1, 2}).input({1}, {1}, i64).refusal(),
            "Squeeze \"node\": axes [1] of shape [1, 2], expected extents of one");
  counting("Unsqueeze", {2}).input({2}, {-1, 0}, i64).expect({1, 2, 1}, {0, 1});
  counting("Unsqueeze", {2}, 11).attribute("axes", Integers{1}).expect({2, 1}, {0, 1});
}

TEST(RearrangeNodes, TransposeExpandAndTile) {
  counting("Transpose", {2, 3}).expect({3, 2}, {0, 3, 1, 4, 2, 5});
  counting("Transpose", {1, 2, 2})
      .attribute("perm", Integers{2, 0, 1})
      .expect({2, 1, 2}, {0, 2, 1, 3});
  counting("Expand", {2, 1}).input({2}, {1, 2}, i64).expect({2, 2}, {0, 0, 1, 1});
  counting("Tile", {1, 2}).input({2}, {2, 2}, i64).expect({2, 4}, {0, 1, 0, 1, 0, 1, 0, 1});
}

TEST(RearrangeNodes, ConcatLeavesOutPartsWithoutElements) {
  counting("Concat", {2})
      .input({0}, {})
      .input({1}, {7})
      .attribute("axis", -1)
      .expect({3}, {0, 1, 7});
}

TEST(RearrangeNodes, SplitIntoEqualParts) {
  const TestNode halves = counting("Split", {4}, 11).outputs(2);
  halves.expect(0, {2}, {0, 1});
  halves.expect(1, {2}, {2, 3});
  const TestNode uneven =
      counting("Split", {1, 5}).attribute("axis", 1).attribute("num_outputs", 2).outputs(2);
  uneven.expect(0, {1, 3}, {0, 1, 2});
  uneven.expect(1, {1, 2}, {3, 4});
  EXPECT_EQ(counting("Split", {2}).outputs(3).refusal(), "3 parts of extent 2");
}

TEST(RearrangeNodes, SplitIntoGivenParts) {
  counting("Split", {3}).input({2}, {1, 2}, i64).outputs(2).expect(1, {2}, {1, 2});
  counting("Split", {3}, 11).attribute("split", Integers{2, 1}).outputs(2).expect(1, {1}, {2});
  EXPECT_EQ(counting("Split", {3}).input({2}, {1, 1}, i64).outputs(2).refusal(),
            "parts [1, 1] of extent 3");
}

TEST(RearrangeNodes, Slice) {
  counting("Slice", {2, 3}, 9)
      .attribute("starts", Integers{1})
      .attribute("ends", Integers{-1})
      .attribute("axes", Integers{1})
      .expect({2, 1}, {1, 4});
  counting("Slice", {2, 4})
      .input({2}, {0, -1}, i64)
      .input({2}, {1, -100}, i64)
      .absent_input()
      .input({2}, {1, -2}, i64)
      .expect({1, 2}, {3, 1});
  EXPECT_EQ(counting("Slice", {4}).unknown_input({1}, i64).input({1}, {2}, i64).refusal(),
            "Slice \"node\": its starts is known only when the network runs");
}

TEST(RearrangeNodes, GiveValuesWithoutElements) {
  counting("Slice", {2}).input({1}, {1}, i64).input({1}, {1}, i64).expect({0}, {});
  counting("Slice", {2, 3}).input({1}, {5}, i64).input({1}, {9}, i64).expect({0, 3}, {});
  counting("Split", {2}).input({2}, {0, 2}, i64).outputs(2).expect(0, {0}, {});
  counting("Split", {2}).input({2}, {0, 2}, i64).outputs(2).expect(1, {2}, {0, 1});
  TestNode("Reshape")
      .input({0, 3}, {})
      .input({2}, {3, 0}, i64)
      .attribute("allowzero", 1)
      .expect({3, 0}, {});
  TestNode("Trilu").input({0, 3}, {}).expect({0, 3}, {});
}

TEST(RearrangeNodes, MoveBlocksBetweenSpaceAndDepth) {
  counting("DepthToSpace", {1, 8, 1, 1})
      .attribute("blocksize", 2)
      .expect({1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7});
  counting("DepthToSpace", {1, 8, 1, 1})
      .attribute("blocksize", 2)
      .attribute("mode", std::string("CRD"))
      .expect({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  counting("SpaceToDepth", {1, 2, 2, 2})
      .attribute("blocksize", 2)
      .expect({1, 8, 1, 1}, {0, 4, 1, 5, 2, 6, 3, 7});
  EXPECT_EQ(counting("DepthToSpace", {1, 3, 1, 1}).attribute("blocksize", 2).refusal(),
            "DepthToSpace \"node\": 3 channels do not divide by blocks of side 2");
  EXPECT_EQ(counting("SpaceToDepth", {1, 1, 3, 2}).attribute("blocksize", 2).refusal(),
            "SpaceToDepth \"node\": image [1, 1, 3, 2] does not divide into blocks of side 2");
  EXPECT_EQ(counting("SpaceToDepth", {3}).refusal(),
            "SpaceToDepth \"node\": blocks of side 0 in shape [3], expected a positive side and "
            "four dimensions");
}

}  // namespace
}  // namespace tessera
