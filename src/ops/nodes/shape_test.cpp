#include "ops/nodes/test_node.h"

#include <limits>

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;

Constant tensor(ElementType element, Shape shape, const std::vector<double>& values) {
  return ops::constant_of(element, std::move(shape), values);
}

TEST(ShapeNodes, GiveExtents) {
  const auto shape = [] { return TestNode("Shape", 15).unknown_input({2, 3, 4}); };
  shape().expect({3}, {2, 3, 4}, i64);
  shape().attribute("start", 1).expect({2}, {3, 4}, i64);
  shape().attribute("start", -9).attribute("end", -1).expect({2}, {2, 3}, i64);
  shape().attribute("start", 2).attribute("end", 1).expect({0}, {}, i64);
  TestNode("Size").unknown_input({2, 3, 4}).expect({}, {24}, i64);
}

TEST(ShapeNodes, GiveEachFormOfConstant) {
  TestNode("Constant")
      .attribute("value", tensor(ElementType::Int32, {2}, {7, -1}))
      .expect({2}, {7, -1}, ElementType::Int32);
  TestNode("Constant").attribute("value_int", 5).expect({}, {5}, i64);
  TestNode("Constant").attribute("value_float", 0.5).expect({}, {0.5});
  TestNode("Constant")
      .attribute("value_ints", std::vector<std::int64_t>{1, 2})
      .expect({2}, {1, 2}, i64);
  TestNode("Constant").attribute("value_floats", std::vector<double>{0.5}).expect({1}, {0.5});
  EXPECT_EQ(TestNode("Constant").attribute("value_string", std::string("x")).refusal(),
            "expected a tensor, integers or floats as its value");
}

TEST(ShapeNodes, FillAShape) {
  TestNode("ConstantOfShape").input({2}, {2, 2}, i64).expect({2, 2}, {0, 0, 0, 0});
  TestNode("ConstantOfShape").input({0}, {}, i64).expect({}, {0});
  TestNode("ConstantOfShape")
      .input({1}, {3}, i64)
      .attribute("value", tensor(ElementType::Int32, {1}, {4}))
      .expect({3}, {4, 4, 4}, ElementType::Int32);
  TestNode("ConstantOfShape")
      .input({2}, {0, 5}, i64)
      .attribute("value", tensor(ElementType::Float, {1}, {4}))
      .expect({0, 5}, {});
}

TEST(ShapeNodes, RefuseShapesThatAreUnknownOrTooLarge) {
  EXPECT_EQ(TestNode("ConstantOfShape").unknown_input({2}, i64).refusal(),
            "its shape is known only when the network runs");
  EXPECT_EQ(TestNode("ConstantOfShape").input({2}, {1 << 20, 1 << 20}, i64).refusal(),
            "shape [1048576, 1048576], expected extents of at least 0 and at most 2^27 elements");
  EXPECT_EQ(TestNode("ConstantOfShape").input({1}, {-1}, i64).refusal(),
            "shape [-1], expected extents of at least 0 and at most 2^27 elements");
  EXPECT_EQ(TestNode("ConstantOfShape")
                .input({1}, {2}, i64)
                .attribute("value", tensor(ElementType::Float, {2}, {4, 5}))
                .refusal(),
            "value of shape [2], expected one element");
}

TEST(ShapeNodes, CountInARange) {
  const auto range = [](double start, double limit, double delta, ElementType element) {
    return TestNode("Range")
        .input({}, {start}, element)
        .input({}, {limit}, element)
        .input({}, {delta}, element);
  };
  range(1, 5, 2, ElementType::Float).expect({2}, {1, 3});
  range(10, 4, -3, ElementType::Int32).expect({2}, {10, 7}, ElementType::Int32);
  range(3, 1, 1, i64).expect({0}, {}, i64);
  EXPECT_EQ(range(3, 1, 0, i64).refusal(), "delta 0, expected another");
  EXPECT_EQ(range(0, 1e12, 1, i64).refusal(), "expected at most 2^27 elements");
  EXPECT_EQ(
      TestNode("Range").unknown_input({}, i64).input({}, {1}, i64).input({}, {1}, i64).refusal(),
      "expected a known scalar as start, limit and delta; its shape depends on them");
}

TEST(ShapeNodes, MakeDiagonals) {
  TestNode("EyeLike").unknown_input({2, 3}).attribute("k", 1).expect({2, 3}, {0, 1, 0, 0, 0, 1});
  TestNode("EyeLike")
      .unknown_input({2, 2})
      .attribute("dtype", 6)
      .expect({2, 2}, {1, 0, 0, 1}, ElementType::Int32);
  EXPECT_EQ(TestNode("EyeLike").unknown_input({2}).refusal(), "shape [2], expected two dimensions");
  EXPECT_EQ(TestNode("EyeLike").unknown_input({1 << 16, 1 << 16}).refusal(),
            "shape [65536, 65536], expected at most 2^27 elements");
}

TEST(ShapeNodes, RefuseRandomness) {
  EXPECT_EQ(TestNode("RandomNormal").refusal(),
            "its values are random; compiled networks give the same output for the same input");
}

}  // namespace
}  // namespace tessera
