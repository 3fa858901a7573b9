#include "ops/infer.h"

#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

TEST(Infer, RefusesANodeThatLacksAnInput) {
  EXPECT_EQ(TestNode("Add").input({2}, {1, 2}).refusal(), "expected 2 inputs, input 1 is absent");
  EXPECT_EQ(TestNode("Add").absent_input().input({2}, {1, 2}).refusal(),
            "expected 2 inputs, input 0 is absent");
}

TEST(Infer, RefusesAnOperatorThatIsNotKnown) {
  EXPECT_EQ(TestNode("Frobnicate").refusal(), "the operator is not known");
}

TEST(Infer, RefusesOutputsThatTheOperatorDoesNotGive) {
  const std::string message = "output 1 is read, but the operator does not give it";
  EXPECT_EQ(TestNode("Add").input({2}, {1, 2}).input({}, {3}).outputs(2).refusal(), message);
  EXPECT_EQ(TestNode("Shape").input({2}, {1, 2}).outputs(2).refusal(), message);
}

TEST(Infer, DropsNodesThatGiveNothing) {
  EXPECT_EQ(TestNode("Split").input({2}, {1, 2}).absent_output(0).refusal(), "not refused");
}

TEST(Infer, ComputesWhatDependsOnConstantsOnly) {
  TestNode("Add").input({2}, {1, 2}).input({}, {3}).expect({2}, {4, 5});
}

TEST(Infer, LearnsTheTypeOfWhatIsKnownOnlyAtRunTime) {
  Graph graph;
  graph.inputs = {{"x", {ElementType::Float, {2, 3}}}};
  graph.outputs = {"y"};
  graph.nodes = {{.name = "exp",
                  .domain = "",
                  .op = "Exp",
                  .version = 13,
                  .inputs = {"x"},
                  .outputs = {"y"},
                  .attributes = {}}};
  const Inferred inferred = infer(graph);
  ASSERT_TRUE(inferred.problems.empty());
  EXPECT_EQ(inferred.graph.types.at("y"), (ValueType{ElementType::Float, {2, 3}}));
  EXPECT_EQ(inferred.graph.nodes.size(), 1U);
}

TEST(Infer, RefusesToNameAPartLikeAnotherValue) {
  Graph graph;
  graph.inputs = {{"x", {ElementType::Float, {2}}}, {"y/constant_0", {ElementType::Float, {2}}}};
  graph.outputs = {"y"};
  graph.nodes = {{.name = "split",
                  .domain = "",
                  .op = "Split",
                  .version = 13,
                  .inputs = {"x"},
                  .outputs = {"y", "z"},
                  .attributes = {}}};
  const Inferred inferred = infer(graph);
  ASSERT_EQ(inferred.problems.size(), 1U);
  EXPECT_EQ(inferred.problems[0].reason,
            "a part of it needs the name \"y/constant_0\", which another value has");
}

}  // namespace
}  // namespace tessera
