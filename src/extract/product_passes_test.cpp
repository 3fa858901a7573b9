#include "extract/fuse.h"
#include "extract/passes.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera {
namespace {

std::int64_t count(const Graph& graph, const std::string& op) {
  return std::ranges::count(graph.nodes, op, &Node::op);
}

/// So many values are read where they lie in what one call makes.
void expect_parts(const Graph& graph, std::size_t count) {
  const Result<Network> network = fuse(graph);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->parts.size(), count) << to_text(*network);
}

/// Queries, keys and values of x [2, 4, 8] with 2 heads, the queries perhaps scaled.
SmallGraph three_products(bool has_bias, bool is_scaled) {
  SmallGraph graph;
  graph.input("x", {2, 4, 8}).integers("heads", {2, 4, 2, 8}).scalar("scale", 0.25);
  for (const std::string name : {"q", "k", "v"}) {
    graph.weights("w" + name, {8, 16}).weights("b" + name, {16});
    graph.node("MatMul", {"x", "w" + name}, "m" + name);
    ValueId made = "m" + name;
    const auto then = [&](const std::string& op, const ValueId& constant, const ValueId& output) {
      graph.node(op, {constant, made}, output);
      made = output;
    };
    if (has_bias) then("Add", "b" + name, "a" + name);
    if (is_scaled && name == "q") then("Mul", "scale", "sq");
    graph.node("Reshape", {made, "heads"}, name);
    graph.output(name);
  }
  return graph;
}

TEST(StackProducts, MakesOneOfProductsOfOneValue) {
  for (const bool has_bias : {false, true})
    for (const bool is_scaled : {false, true}) {
      const Graph before = three_products(has_bias, is_scaled).inferred();
      Graph graph = before;
      stack_products(graph);
      EXPECT_EQ(count(graph, "MatMul"), 1);
      EXPECT_EQ(count(graph, "Add"), has_bias ? 1 : 0);
      EXPECT_EQ(count(graph, "Mul"), 0);
      EXPECT_EQ(difference(graph, before), "");
      expect_parts(graph, 3);
    }
}

/// Products of x [4, depth], an activation of one times the other.
Graph gated(std::int64_t depth) {
  return SmallGraph()
      .input("x", {4, depth})
      .weights("w", {depth, 16})
      .weights("v", {depth, 16})
      .weights("b", {16})
      .weights("c", {16})
      .node("MatMul", {"x", "w"}, "mw")
      .node("Add", {"mw", "b"}, "gate")
      .node("Sigmoid", {"gate"}, "bent")
      .node("MatMul", {"x", "v"}, "mv")
      .node("Add", {"mv", "c"}, "up")
      .node("Mul", {"bent", "up"}, "y")
      .output("y")
      .inferred();
}

TEST(StackProducts, LeavesWhatRunsOnTheTileOfOne) {
  Graph graph = gated(8);
  stack_products(graph);
  EXPECT_EQ(count(graph, "MatMul"), 2);
}

TEST(StackProducts, MakesOneOfDeepProducts) {
  const Graph before = gated(2048);
  Graph graph = before;
  stack_products(graph);
  EXPECT_EQ(count(graph, "MatMul"), 1);
  EXPECT_EQ(count(graph, "Add"), 1);
  EXPECT_EQ(difference(graph, before), "");
  expect_parts(graph, 2);
}

TEST(StackProducts, LeavesWhatDiffersOrLeaves) {
  Graph leaving = three_products(true, false).output("ak").inferred();
  stack_products(leaving);
  EXPECT_EQ(count(leaving, "MatMul"), 2);  // of q and v, and of k
  Graph other = SmallGraph()
                    .input("x", {4, 8})
                    .weights("w", {8, 16})
                    .weights("v", {8, 32})
                    .node("MatMul", {"x", "w"}, "a")
                    .node("Transpose", {"a"}, "ta")
                    .node("MatMul", {"x", "v"}, "b")
                    .node("Transpose", {"b"}, "tb")
                    .output("ta")
                    .output("tb")
                    .inferred();
  stack_products(other);
  EXPECT_EQ(count(other, "MatMul"), 2);
}

TEST(StackProducts, LeavesResultsThatVectorsWouldStraddle) {
  Graph graph = SmallGraph()
                    .input("x", {3, 8})
                    .weights("w", {8, 5})
                    .weights("v", {8, 5})
                    .node("MatMul", {"x", "w"}, "a")
                    .node("Transpose", {"a"}, "ta")
                    .node("MatMul", {"x", "v"}, "b")
                    .node("Transpose", {"b"}, "tb")
                    .output("ta")
                    .output("tb")
                    .inferred();
  stack_products(graph);
  EXPECT_EQ(count(graph, "MatMul"), 2);
}

/// The columns of one product of x [4, 8] by turns for queries, keys and values.
SmallGraph one_product(const std::vector<std::int64_t>& widths) {
  SmallGraph graph;
  graph.input("x", {4, 8}).weights("w", {8, 48}).weights("b", {48}).integers("wide", {1, 4, 48});
  graph.node("Gemm", {"x", "w", "b"}, "g").node("Reshape", {"g", "wide"}, "all");
  graph.integers("widths", widths);
  graph.nodes("Split", {"all", "widths"}, {"cq", "ck", "cv"}, {{"axis", std::int64_t{2}}});
  for (const std::string name : {"q", "k", "v"})
    graph.node("Transpose", {"c" + name}, name, {{"perm", std::vector<std::int64_t>{1, 0, 2}}})
        .output(name);
  return graph;
}

TEST(StackProducts, CutsColumnsOfOneProductApart) {
  const Graph before = one_product({16, 16, 16}).inferred();
  Graph graph = before;
  canonicalise(graph);
  stack_products(graph);
  EXPECT_EQ(count(graph, "Gemm"), 0);
  EXPECT_EQ(count(graph, "MatMul"), 1);
  EXPECT_EQ(difference(graph, before), "");
  expect_parts(graph, 3);
}

TEST(StackProducts, LeavesColumnsOfOtherWidths) {
  Graph graph = one_product({16, 24, 8}).inferred();
  canonicalise(graph);
  stack_products(graph);
  EXPECT_EQ(count(graph, "Gemm"), 1);
}

TEST(TakeColumns, CutsBeforeMoving) {
  SmallGraph small;
  small.input("x", {1, 4, 8}).weights("w", {8, 48}).integers("apart", {1, 4, 3, 2, 8});
  small.node("MatMul", {"x", "w"}, "m").node("Reshape", {"m", "apart"}, "r");
  small.node("Transpose", {"r"}, "t", {{"perm", std::vector<std::int64_t>{2, 0, 3, 1, 4}}});
  for (const int n : {0, 1, 2}) {
    const std::string name = std::to_string(n);
    small.index(name, n).node("Gather", {"t", name}, "y" + name, {{"axis", std::int64_t{0}}});
    small.output("y" + name);
  }
  const Graph before = small.inferred();
  Graph graph = before;
  take_columns(graph);
  EXPECT_EQ(count(graph, "Gather"), 0);
  EXPECT_EQ(count(graph, "Slice"), 3);
  EXPECT_EQ(difference(graph, before), "");
  stack_products(graph);
  EXPECT_EQ(difference(graph, before), "");
  expect_parts(graph, 3);
}

TEST(TakeColumns, LeavesRows) {
  Graph graph = SmallGraph()
                    .input("x", {4, 8})
                    .weights("w", {8, 48})
                    .integers("apart", {2, 2, 48})
                    .index("one", 1)
                    .node("MatMul", {"x", "w"}, "m")
                    .node("Reshape", {"m", "apart"}, "r")
                    .node("Transpose", {"r"}, "t", {{"perm", std::vector<std::int64_t>{1, 0, 2}}})
                    .node("Gather", {"t", "one"}, "y", {{"axis", std::int64_t{0}}})
                    .output("y")
                    .inferred();
  take_columns(graph);
  EXPECT_EQ(count(graph, "Gather"), 1);
}

/// The rows of x go through a Gemm.
SmallGraph gemm_of_rows(const Shape& x, const std::vector<std::int64_t>& back) {
  return SmallGraph()
      .input("x", x)
      .weights("w", {8, 5})
      .weights("b", {5})
      .integers("rows", {-1, 8})
      .integers("back", back)
      .node("Reshape", {"x", "rows"}, "r")
      .node("Gemm", {"r", "w", "b"}, "g")
      .node("Reshape", {"g", "back"}, "s")
      .node("Relu", {"s"}, "y")
      .output("y");
}

TEST(UnfoldRows, LetsAProductReadRowsAsTheyCome) {
  const Graph before = gemm_of_rows({1, 6, 8}, {1, 6, 5}).inferred();
  Graph graph = before;
  unfold_rows(graph);
  EXPECT_EQ(count(graph, "Reshape"), 0);
  EXPECT_EQ(count(graph, "MatMul"), 1);
  EXPECT_EQ(difference(graph, before), "");
}

TEST(UnfoldRows, LeavesOtherShapesAndSeveralMatrices) {
  for (Graph graph : {gemm_of_rows({1, 6, 8}, {2, 3, 5}).inferred(),
                      gemm_of_rows({2, 3, 8}, {2, 3, 5}).inferred()}) {
    unfold_rows(graph);
    EXPECT_EQ(count(graph, "Gemm"), 1);
  }
}

TEST(MoveFactors, ScalesTheProduct) {
  const Graph before = SmallGraph()
                           .input("q", {2, 3, 8})
                           .input("k", {2, 8, 5})
                           .scalar("half", 0.5)
                           .scalar("four", 4)
                           .node("Mul", {"half", "q"}, "sq")
                           .node("Div", {"k", "four"}, "sk")
                           .node("MatMul", {"sq", "sk"}, "y")
                           .output("y")
                           .inferred();
  Graph graph = before;
  move_factors(graph);
  EXPECT_EQ(count(graph, "Mul"), 1);
  EXPECT_EQ(count(graph, "Div"), 0);
  EXPECT_EQ(graph.nodes.back().op, "Mul");
  EXPECT_EQ(difference(graph, before), "");
}

TEST(MoveFactors, LeavesNoCallButTheProductOfScaledHeads) {
  Graph graph =
      SmallGraph()
          .input("x", {1, 6, 3, 8})
          .input("z", {1, 6, 3, 8})
          .scalar("scale", 0.6)
          .node("Transpose", {"x"}, "q", {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}})
          .node("Transpose", {"z"}, "k", {{"perm", std::vector<std::int64_t>{0, 2, 3, 1}}})
          .node("Mul", {"q", "scale"}, "sq")
          .node("Mul", {"k", "scale"}, "sk")
          .node("MatMul", {"sq", "sk"}, "y")
          .output("y")
          .inferred();
  EXPECT_EQ(fuse(graph)->calls.size(), 3U);
  move_factors(graph);
  EXPECT_EQ(fuse(graph)->calls.size(), 1U);
}

TEST(MoveFactors, LeavesWhatOthersReadAndOtherFactors) {
  Graph graph = SmallGraph()
                    .input("q", {3, 8})
                    .input("k", {8, 5})
                    .scalar("half", 0.5)
                    .weights("each", {5})
                    .node("Mul", {"q", "half"}, "sq")
                    .node("Mul", {"k", "each"}, "sk")
                    .node("MatMul", {"sq", "sk"}, "y")
                    .output("sq")
                    .output("y")
                    .inferred();
  move_factors(graph);
  EXPECT_EQ(graph.nodes.back().op, "MatMul");
}

}  // namespace
}  // namespace tessera
