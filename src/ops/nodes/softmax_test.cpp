#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;

TestNode on_matrices(const std::string& op, std::int64_t version) {
  return TestNode(op, version).input({2, 2, 2}, {1, 2, 4, 4, 0, -1, 3, 2});
}

TEST(SoftmaxNodes, NormaliseAlongAnAxis) {
  on_matrices("Softmax", 13)
      .expect({2, 2, 2}, {0.268941, 0.731059, 0.5, 0.5, 0.731059, 0.268941, 0.731059, 0.268941});
  on_matrices("LogSoftmax", 13)
      .attribute("axis", std::int64_t{1})
      .expect({2, 2, 2}, {-3.048587, -2.126928, -0.048587, -0.126928, -3.048587, -3.048587,
                          -0.048587, -0.048587});
}

TEST(SoftmaxNodes, TakeTrailingDimensionsTogetherBeforeVersion13) {
  TestNode("Softmax", 11)
      .input({1, 2, 2}, {0, 0, 0, 0})
      .expect({1, 2, 2}, {0.25, 0.25, 0.25, 0.25});
  TestNode("Softmax", 11)
      .input({1, 2, 2}, {0, 0, 0, 0})
      .attribute("axis", std::int64_t{-1})
      .expect({1, 2, 2}, {0.5, 0.5, 0.5, 0.5});
  EXPECT_EQ(TestNode("Softmax", 11).input({2}, {0, 0}).attribute("axis", std::int64_t{5}).refusal(),
            "Softmax \"node\": no dimension 5 in rank 1");
}

TEST(SoftmaxNodes, MarkTheFirstOfEqualMaxima) {
  on_matrices("Hardmax", 13).expect({2, 2, 2}, {0, 1, 1, 0, 1, 0, 1, 0});
  on_matrices("Hardmax", 11).expect({2, 2, 2}, {0, 0, 1, 0, 0, 0, 1, 0});
}

TEST(SoftmaxNodes, RefuseBooleans) {
  EXPECT_EQ(TestNode("Hardmax").input({2}, {0, 1}, ElementType::Bool).refusal(),
            "first: not defined for bool");
}

TEST(SoftmaxNodes, FindExtremes) {
  TestNode("ArgMax").input({2}, {5, -1}, UInt64).expect({1}, {1}, Int64);  // 2^64 - 1
  on_matrices("ArgMax", 13).expect({1, 2, 2}, {0, 0, 0, 0}, Int64);
  on_matrices("ArgMin", 13)
      .attribute("axis", std::int64_t{-1})
      .attribute("keepdims", std::int64_t{0})
      .expect({2, 2}, {0, 0, 1, 1}, Int64);
  on_matrices("ArgMax", 13)
      .attribute("axis", std::int64_t{2})
      .attribute("keepdims", std::int64_t{0})
      .attribute("select_last_index", std::int64_t{1})
      .expect({2, 2}, {1, 1, 0, 0}, Int64);
  EXPECT_EQ(on_matrices("ArgMax", 13).attribute("axis", std::int64_t{3}).refusal(),
            "ArgMax: no dimension 3 in rank 3");
}

}  // namespace
}  // namespace tessera
