#include "ops/nodes/test_node.h"

#include <memory>

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;

Node node(const char* op, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  return {.name = outputs.front(),
          .domain = "",
          .op = op,
          .version = 23,
          .inputs = std::move(inputs),
          .outputs = std::move(outputs),
          .attributes = {}};
}

Attribute graph(const std::vector<ValueId>& inputs, std::vector<Node> nodes,
                std::vector<ValueId> outputs) {
  Graph body;
  for (const ValueId& name : inputs) body.inputs.push_back({name, {}});
  body.constants["two"] = ops::constant_of(ElementType::Float, {}, std::vector<double>{2});
  body.constants["ten"] = ops::constant_of(ElementType::Float, {}, std::vector<double>{10});
  body.nodes = std::move(nodes);
  body.outputs = std::move(outputs);
  return std::make_shared<const Graph>(std::move(body));
}

TestNode if_node(double condition) {
  return TestNode("If")
      .input({}, {condition}, ElementType::Bool)
      .input({2}, {3, 4})  // more than If takes, so that branches have something to capture
      .attribute("then_branch", graph({}, {node("Mul", {"in1", "two"}, {"out0"})}, {"out0"}))
      .attribute("else_branch", graph({}, {}, {"in1"}));
}

TEST(ControlNodes, TakeTheBranchOfAKnownCondition) {
  if_node(1).expect({2}, {6, 8});
  if_node(0).expect({2}, {3, 4});
}

TEST(ControlNodes, RefuseBranchesThatAreNotKnown) {
  EXPECT_EQ(TestNode("If").unknown_input({}, ElementType::Bool).refusal(),
            "its condition is known only when the network runs");
  EXPECT_EQ(TestNode("If").input({2}, {0, 1}, ElementType::Bool).refusal(),
            "condition of shape [2], expected one element");
  EXPECT_EQ(TestNode("If").input({}, {1}, ElementType::Bool).refusal(),
            "expected a then_branch without inputs");
}

TEST(ControlNodes, RenameInsideGraphsOfGraphs) {
  const Attribute inner = graph({}, {node("Add", {"doubled", "two"}, {"sum"})}, {"sum"});
  Node nested = node("If", {"in0"}, {"result"});
  nested.attributes = {{"then_branch", inner}, {"else_branch", inner}};
  TestNode("If")
      .input({}, {1}, ElementType::Bool)
      .input({}, {5})
      .attribute("then_branch",
                 graph({}, {node("Mul", {"in1", "two"}, {"doubled"}), nested}, {"result"}))
      .expect({}, {12});
}

/// Doubles x in each round and gives what it was; goes on while the result is below ten.
Attribute doubling() {
  return graph({"round", "go", "x"},
               {node("Mul", {"x", "two"}, {"y"}), node("Less", {"y", "ten"}, {"on"}),
                node("Identity", {"x"}, {"before"})},
               {"on", "y", "before"});
}

TEST(ControlNodes, UnrollLoopsByCount) {
  const TestNode loop = TestNode("Loop")
                            .input({}, {3}, i64)
                            .absent_input()
                            .input({2}, {0, 1})
                            .outputs(2)
                            .attribute("body", graph({"round", "go", "x"},
                                                     {node("Mul", {"x", "two"}, {"y"}),
                                                      node("Mul", {"round", "round"}, {"square"})},
                                                     {"go", "y", "square"}));
  loop.expect(0, {2}, {0, 8});
  loop.expect(1, {3}, {0, 1, 4}, i64);
}

TEST(ControlNodes, UnrollLoopsByCondition) {
  const TestNode loop = TestNode("Loop")
                            .absent_input()
                            .input({}, {1}, ElementType::Bool)
                            .input({}, {3})
                            .outputs(2)
                            .attribute("body", doubling());
  loop.expect(0, {}, {12});
  loop.expect(1, {2}, {3, 6});
}

TEST(ControlNodes, RefuseLoopsThatAreNotKnown) {
  const auto loop = [] { return TestNode("Loop").outputs(2).attribute("body", doubling()); };
  EXPECT_EQ(loop().unknown_input({}, i64).absent_input().input({}, {1}).refusal(),
            "its trip count is known only when the network runs");
  EXPECT_EQ(loop().absent_input().absent_input().unknown_input({}).refusal(),
            "its condition is known only when the network runs");
  EXPECT_EQ(loop().input({}, {1e6}, i64).absent_input().input({}, {1}).refusal(),
            "1000000 rounds of 3 nodes, expected at most 16384 nodes once unrolled");
  EXPECT_EQ(loop().input({}, {0}, i64).absent_input().input({}, {1}).refusal(),
            "no round runs, so that the shape of what rounds give is not known");
  EXPECT_EQ(loop().input({}, {1}, i64).absent_input().refusal(), "2 inputs, expected 3");
  EXPECT_EQ(TestNode("Loop").input({}, {1}, i64).refusal(), "expected a body");
  EXPECT_EQ(TestNode("Loop")
                .input({}, {1}, i64)
                .attribute("body", graph({"round", "go", "x"}, {}, {"go"}))
                .refusal(),
            "the body gives 1 values, expected a condition and all it carries");
}

/// A running sum that is also given.
Attribute summing() {
  return graph({"sum", "x"},
               {node("Add", {"sum", "x"}, {"next"}), node("Identity", {"next"}, {"given"})},
               {"next", "given"});
}

TEST(ControlNodes, UnrollScans) {
  const auto scan = [] {
    return TestNode("Scan")
        .input({2}, {0, 10})
        .input({2, 3}, {1, 2, 3, 4, 5, 6})
        .outputs(2)
        .attribute("body", summing())
        .attribute("num_scan_inputs", 1)
        .attribute("scan_input_axes", std::vector<std::int64_t>{1});
  };
  scan().expect(0, {2}, {6, 25});
  scan().expect(1, {3, 2}, {1, 14, 3, 19, 6, 25});
  const std::vector<std::int64_t> one = {1};
  scan()
      .attribute("scan_input_directions", one)
      .attribute("scan_output_axes", one)
      .expect(1, {2, 3}, {3, 5, 6, 16, 21, 25});
  scan().attribute("scan_output_directions", one).expect(1, {3, 2}, {6, 25, 3, 19, 1, 14});
}

TEST(ControlNodes, UnrollScansOfBatches) {
  const auto scan = [] {
    return TestNode("Scan", 8)
        .attribute("body", summing())
        .attribute("num_scan_inputs", 1)
        .outputs(2);
  };
  const auto batches = [&] {
    return scan().absent_input().input({2, 1}, {0, 10}).input({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  };
  batches().expect(0, {2, 1}, {6, 25});
  batches().expect(1, {2, 3, 1}, {1, 3, 6, 14, 19, 25});
  EXPECT_EQ(scan().input({1}, {1}, i64).input({1, 1}, {0}).input({1, 1, 1}, {1}).refusal(),
            "sequence lengths are given, expected none");
}

TEST(ControlNodes, RefuseScansThatDoNotFit) {
  EXPECT_EQ(TestNode("Scan").input({1}, {1}).refusal(), "expected a body and inputs to scan");
  EXPECT_EQ(TestNode("Scan")
                .input({1}, {1})
                .attribute("body", summing())
                .attribute("num_scan_inputs", 1)
                .refusal(),
            "the body takes 2 values and gives 2 for 1 inputs");
  EXPECT_EQ(TestNode("Scan")
                .input({}, {1})
                .unknown_input({1 << 20})
                .attribute("body", summing())
                .attribute("num_scan_inputs", 1)
                .refusal(),
            "1048576 rounds of 2 nodes, expected at most 16384 nodes once unrolled");
}

}  // namespace
}  // namespace tessera
