#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;

TEST(OrderNodes, SumUpToEachElement) {
  const auto sums = [] {
    return TestNode("CumSum").input({4}, {1, 2, 3, 4}).input({}, {0}, Int32);
  };
  sums().expect({4}, {1, 3, 6, 10});
  sums().attribute("exclusive", std::int64_t{1}).expect({4}, {0, 1, 3, 6});
  sums().attribute("reverse", std::int64_t{1}).expect({4}, {10, 9, 7, 4});
  sums()
      .attribute("reverse", std::int64_t{1})
      .attribute("exclusive", std::int64_t{1})
      .expect({4}, {9, 7, 4, 0});
  TestNode("CumSum")
      .input({2, 2}, {1, 2, 3, 4}, Int64)
      .input({1}, {-2}, Int64)
      .expect({2, 2}, {1, 2, 4, 6}, Int64);
  EXPECT_EQ(TestNode("CumSum").input({1}, {1}).input({2}, {0, 1}, Int64).refusal(),
            "CumSum \"node\": its axis is [0, 1], expected one number");
}

TEST(OrderNodes, MultiplyUpToEachElement) {
  const auto products = [] {
    return TestNode("CumProd", 26).input({3}, {2, 3, 4}).input({}, {0}, Int32);
  };
  products().expect({3}, {2, 6, 24});
  products().attribute("exclusive", 1).expect({3}, {1, 2, 6});
  products().attribute("reverse", 1).expect({3}, {24, 12, 4});
}

TEST(OrderNodes, TakeTheLargestOrSmallest) {
  TestNode("TopK")
      .input({3}, {5, -1, 7}, UInt64)  // -1 has the bits of 2^64 - 1
      .input({1}, {2}, Int64)
      .expect({2}, {-1, 7}, UInt64);
  const auto three = [](std::int64_t largest) {
    return TestNode("TopK")
        .input({2, 4}, {1, 4, 4, 2, -3, 7, 0, 5})
        .input({1}, {3}, Int64)
        .attribute("largest", largest)
        .outputs(2);
  };
  three(1).expect(0, {2, 3}, {4, 4, 2, 7, 5, 0});
  three(1).expect(1, {2, 3}, {1, 2, 3, 1, 3, 2}, Int64);
  three(0).expect(0, {2, 3}, {1, 2, 4, -3, 0, 5});
  three(0).expect(1, {2, 3}, {0, 3, 1, 0, 2, 3}, Int64);
  TestNode("TopK", 1)
      .input({3, 1}, {5, 9, 7}, Int64)
      .attribute("k", std::int64_t{2})
      .attribute("axis", std::int64_t{0})
      .expect({2, 1}, {9, 7}, Int64);
  EXPECT_EQ(TestNode("TopK").input({2}, {1, 2}).input({1}, {3}, Int64).refusal(),
            "TopK \"node\": k is 3, expected 1 to 2");
}

}  // namespace
}  // namespace tessera
