#include "ops/nodes/test_node.h"

#include <limits>

namespace tessera {
namespace {

using enum ElementType;
using Axes = std::vector<std::int64_t>;

TestNode on_matrix(const std::string& op) { return TestNode(op).input({2, 2}, {1, 2, 3, -4}); }

TEST(ReduceNodes, FollowTheirFormulas) {
  on_matrix("ReduceSum").expect({1, 1}, {2});
  on_matrix("ReduceMean").expect({1, 1}, {0.5});
  on_matrix("ReduceMax").expect({1, 1}, {3});
  on_matrix("ReduceMin").expect({1, 1}, {-4});
  on_matrix("ReduceProd").expect({1, 1}, {-24});
  on_matrix("ReduceL1").expect({1, 1}, {10});
  on_matrix("ReduceL2").expect({1, 1}, {5.4772256});
  on_matrix("ReduceSumSquare").expect({1, 1}, {30});
  on_matrix("ReduceLogSum").expect({1, 1}, {0.6931472});
  on_matrix("ReduceLogSumExp").expect({1, 1}, {3.408182});
  TestNode("ReduceLogSumExp").input({2}, {1000, 1000}).expect({1}, {1000.6931});
}

TEST(ReduceNodes, TakeAxesFromAnAttributeOrAnInput) {
  on_matrix("ReduceSum").input({1}, {-1}, Int64).expect({2, 1}, {3, -1});
  TestNode("ReduceSum", 11)
      .input({2, 2}, {1, 2, 3, -4})
      .attribute("axes", Axes{0})
      .attribute("keepdims", std::int64_t{0})
      .expect({2}, {4, -2});
  TestNode("ReduceLogSumExp", 13)
      .input({2, 2}, {0, 0, 0, 0})
      .attribute("axes", Axes{0})
      .attribute("keepdims", std::int64_t{0})
      .expect({2}, {0.6931472, 0.6931472});
  EXPECT_EQ(on_matrix("ReduceSum").input({1}, {2}, Int64).refusal(),
            "ReduceSum: no dimension 2 in rank 2");
}

TEST(ReduceNodes, DoNothingWithoutAxesWhenToldSo) {
  const auto none = [](const std::string& op) {
    return on_matrix(op).input({0}, {}, Int64).attribute("noop_with_empty_axes", std::int64_t{1});
  };
  none("ReduceSum").expect({2, 2}, {1, 2, 3, -4});
  none("ReduceMax").expect({2, 2}, {1, 2, 3, -4});
  on_matrix("ReduceSum").input({0}, {}, Int64).expect({1, 1}, {2});
}

TEST(ReduceNodes, GiveTheNeutralElementForNothing) {
  const auto of_nothing = [](const std::string& op) {
    return TestNode(op).input({2, 0}, {}).input({1}, {1}, Int64);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  of_nothing("ReduceSum").expect({2, 1}, {0, 0});
  of_nothing("ReduceL2").expect({2, 1}, {0, 0});
  of_nothing("ReduceProd").attribute("keepdims", 0).expect({2}, {1, 1});
  of_nothing("ReduceMax").expect({2, 1}, {-infinity, -infinity});
  of_nothing("ReduceLogSumExp").expect({2, 1}, {-infinity, -infinity});
  TestNode("ReduceSum").input({2, 0}, {}).input({1}, {0}, Int64).expect({1, 0}, {});
  TestNode("ReduceMax").input({0}, {}, Int8).expect({1}, {-128}, Int8);
  TestNode("ReduceMax").input({0}, {}, UInt64).expect({1}, {0}, UInt64);
}

TEST(ReduceNodes, ReduceIntegersAndBooleans) {
  TestNode("ReduceMax").input({2}, {-1, 5}, UInt64).expect({1}, {-1}, UInt64);  // 2^64 - 1
  TestNode("ReduceMin").input({2}, {-1, 5}, UInt64).expect({1}, {5}, UInt64);
  TestNode("ReduceMean").input({3}, {2, 2, -9}, Int32).expect({1}, {-1}, Int32);
  TestNode("ReduceL2").input({2}, {3, 4}, Int64).expect({1}, {5}, Int64);
  TestNode("ReduceMax").input({2}, {0, 1}, Bool).expect({1}, {1}, Bool);
  TestNode("ReduceMin").input({2}, {0, 1}, Bool).expect({1}, {0}, Bool);
  EXPECT_EQ(TestNode("ReduceSum").input({2}, {0, 1}, Bool).refusal(),
            "ReduceSum \"node\": not defined for bool");
}

}  // namespace
}  // namespace tessera
