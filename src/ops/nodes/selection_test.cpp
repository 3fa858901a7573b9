#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;

TEST(SelectionNodes, FindWhatIsNotZero) {
  TestNode("NonZero").input({2, 3}, {1, 0, 2, 0, 0, 3}).expect({2, 3}, {0, 0, 1, 0, 2, 2}, i64);
  EXPECT_EQ(TestNode("NonZero").unknown_input({2}).refusal(),
            "the shape of its output depends on values known only when the network runs");
}

TEST(SelectionNodes, CompressByAKnownCondition) {
  const auto compress = [] {
    return TestNode("Compress")
        .input({3, 2}, {1, 2, 3, 4, 5, 6})
        .input({3}, {0, 1, 1}, ElementType::Bool);
  };
  compress().attribute("axis", 0).expect({2, 2}, {3, 4, 5, 6});
  compress().expect({2}, {2, 3});
  EXPECT_EQ(TestNode("Compress").input({2}, {1, 2}).input({1}, {0}, ElementType::Bool).refusal(),
            "its condition picks nothing");
  EXPECT_EQ(TestNode("Compress").input({2}, {1, 2}).unknown_input({2}, ElementType::Bool).refusal(),
            "the shape of its output depends on values known only when the network runs");
}

TEST(SelectionNodes, FindDistinctElements) {
  const TestNode unique = TestNode("Unique").input({6}, {2, 1, 1, 3, 4, 3}).outputs(4);
  unique.expect(0, {4}, {1, 2, 3, 4});
  unique.expect(1, {4}, {1, 0, 3, 4}, i64);
  unique.expect(2, {6}, {1, 0, 0, 2, 3, 2}, i64);
  unique.expect(3, {4}, {2, 1, 2, 1}, i64);
  TestNode("Unique").input({4}, {2, 1, 1, 2}).attribute("sorted", 0).expect({2}, {2, 1});
}

TEST(SelectionNodes, TellLargeIntegersApart) {
  const auto distinct = [](ElementType element) {
    Graph graph;
    graph.constants["x"] = ops::constant_of(
        element, {3},
        std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1, std::int64_t{1} << 53, -1});
    Node node;
    node.op = "Unique";
    node.version = 11;
    node.inputs = {"x"};
    node.outputs = {"y"};
    graph.nodes = {node};
    graph.outputs = {"y"};
    const Inferred inferred = infer(std::move(graph));
    const HostBuffer& data = *inferred.graph.constants.at("y").data;
    return std::vector{data.get_integer(0), data.get_integer(1), data.get_integer(2)};
  };
  constexpr std::int64_t large = std::int64_t{1} << 53;
  EXPECT_EQ(distinct(ElementType::Int64), (std::vector{std::int64_t{-1}, large, large + 1}));
  EXPECT_EQ(distinct(ElementType::UInt64), (std::vector{large, large + 1, std::int64_t{-1}}));
}

TEST(SelectionNodes, FindDistinctSlices) {
  TestNode("Unique")
      .input({2, 3}, {3, 1, 3, 4, 2, 4})
      .attribute("axis", 1)
      .expect({2, 2}, {1, 3, 2, 4});
  TestNode("Unique")
      .input({3, 2}, {1, 0, 1, 0, 2, 3})
      .attribute("axis", -2)
      .expect({2, 2}, {1, 0, 2, 3});
}

TEST(SelectionNodes, KeepTheBestOfOverlappingBoxes) {
  const std::vector<double> boxes = {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11};
  const auto suppression = [&](double most, double score) {
    return TestNode("NonMaxSuppression")
        .input({1, 3, 4}, boxes)
        .input({1, 1, 3}, {0.9, 0.75, 0.95})
        .input({1}, {most}, i64)
        .input({1}, {0.5})
        .input({1}, {score});
  };
  suppression(3, 0).expect({2, 3}, {0, 0, 2, 0, 0, 0}, i64);
  suppression(1, 0).expect({1, 3}, {0, 0, 2}, i64);
  suppression(3, 0.92).expect({1, 3}, {0, 0, 2}, i64);
  TestNode("NonMaxSuppression")
      .input({1, 2, 4}, {0.5, 0.5, 1, 1, 0.5, 0.6, 1, 1})
      .input({1, 1, 2}, {0.5, 0.6})
      .input({1}, {9}, i64)
      .input({1}, {0.5})
      .attribute("center_point_box", 1)
      .expect({1, 3}, {0, 0, 1}, i64);
}

}  // namespace
}  // namespace tessera
