#include "extract/fuse.h"

#include "support/small_graph.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

std::vector<std::string> titles(const SmallGraph& graph) {
  const Result<Network> network = fuse(graph.inferred());
  if (!network) return {network.error().message};
  std::vector<std::string> out;
  for (const Call& call : network->calls) out.push_back(call.title);
  return out;
}

using Titles = std::vector<std::string>;

TEST(Fuse, JoinsWhatFollowsElementByElement) {
  EXPECT_EQ(titles(SmallGraph()
                       .input("x", {4, 8})
                       .input("residual", {4, 8})
                       .weights("w", {8, 8})
                       .weights("b", {8})
                       .node("MatMul", {"x", "w"}, "m")
                       .node("Add", {"m", "b"}, "s")
                       .node("Add", {"s", "residual"}, "r")
                       .node("Relu", {"r"}, "y")
                       .output("y")),
            Titles{"MatMul+Add+Add+Relu"});
}

TEST(Fuse, JoinsWaysThatMeetAgain) {
  EXPECT_EQ(titles(SmallGraph()
                       .input("x", {4, 8})
                       .weights("w", {8, 8})
                       .node("MatMul", {"x", "w"}, "m")
                       .node("Sigmoid", {"m"}, "s")
                       .node("Mul", {"m", "s"}, "y")
                       .output("y")),
            Titles{"MatMul+Sigmoid+Mul"});
}

TEST(Fuse, JoinsActivationsWrittenAsTheirArithmetic) {
  const auto conv = [] {
    return SmallGraph()
        .input("x", {1, 8, 6, 6})
        .weights("w", {8, 8, 1, 1})
        .scalar("zero", 0)
        .scalar("three", 3)
        .scalar("six", 6)
        .node("Conv", {"x", "w"}, "c");
  };
  EXPECT_EQ(titles(conv().node("Sigmoid", {"c"}, "s").node("Mul", {"s", "c"}, "y").output("y")),
            Titles{"Conv+Sigmoid+Mul"});
  EXPECT_EQ(titles(conv().node("HardSigmoid", {"c"}, "s").node("Mul", {"c", "s"}, "y").output("y")),
            Titles{"Conv+HardSigmoid+Mul"});
  EXPECT_EQ(titles(conv()
                       .node("Add", {"c", "three"}, "moved")
                       .node("Clip", {"moved", "zero", "six"}, "cut")
                       .node("Mul", {"c", "cut"}, "product")
                       .node("Div", {"product", "six"}, "y")
                       .output("y")),
            Titles{"Conv+Add+Clip+Mul+Div"});
}

/// Attention of 3 heads of size 8 over 6 rows, in four dimensions.
SmallGraph attention() {
  const Attribute by_head = std::vector<std::int64_t>{0, 2, 1, 3};
  SmallGraph graph;
  graph.integers("rows", {1, 6, 24}).scalar("root", 2.5).scalar("low", -1e30);
  for (const std::string name : {"q", "k", "v"})
    graph.input("x" + name, {1, 6, 3, 8})
        .node("Transpose", {"x" + name}, name, {{"perm", by_head}});
  return graph.node("Transpose", {"k"}, "kt", {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}})
      .node("MatMul", {"q", "kt"}, "products")
      .node("Div", {"products", "root"}, "scores");
}

TEST(Fuse, MakesThreeCallsOfAttention) {
  const Attribute by_row = std::vector<std::int64_t>{0, 2, 1, 3}, last = std::int64_t{-1};
  const auto finished = [&](SmallGraph graph, const ValueId& masked) {
    return graph.node("Softmax", {masked}, "weights", {{"axis", last}})
        .node("MatMul", {"weights", "v"}, "mixed")
        .node("Transpose", {"mixed"}, "moved", {{"perm", by_row}})
        .node("Reshape", {"moved", "rows"}, "y")
        .output("y");
  };
  EXPECT_EQ(titles(finished(
                attention().input("mask", {1, 1, 1, 6}).node("Add", {"scores", "mask"}, "masked"),
                "masked")),
            (Titles{"Transpose+Transpose+Transpose+MatMul+Div+Add", "Softmax",
                    "Transpose+MatMul+Transpose"}));
  EXPECT_EQ(titles(finished(attention()
                                .input("mask", {1, 1, 6, 6})
                                .node("Greater", {"mask", "root"}, "seen")
                                .node("Where", {"seen", "scores", "low"}, "masked"),
                            "masked")),
            (Titles{"Greater", "Transpose+Transpose+Transpose+MatMul+Div+Where", "Softmax",
                    "Transpose+MatMul+Transpose"}));
}

TEST(Fuse, WritesProductsInTheOrderTheyAreRead) {
  const Graph graph =
      SmallGraph()
          .input("a", {3, 6, 4})
          .input("b", {3, 4, 8})
          .integers("rows", {6, 24})
          .node("MatMul", {"a", "b"}, "m")
          .node("Transpose", {"m"}, "t", {{"perm", std::vector<std::int64_t>{1, 0, 2}}})
          .node("Reshape", {"t", "rows"}, "y")
          .output("y")
          .inferred();
  const Result<Network> network = fuse(graph);
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_EQ(network->calls.size(), 1U);
  EXPECT_EQ(network->calls[0].computation.stages.size(), 1U);
}

TEST(Fuse, LeavesValuesWithoutElementsOut) {
  const Graph graph = SmallGraph()
                          .input("x", {4, 8})
                          .integers("axes", {})
                          .node("ReduceSum", {"x", "axes"}, "y")
                          .output("y")
                          .inferred();
  const Result<Network> network = fuse(graph);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->calls[0].inputs, std::vector<ValueId>{"x"});
}

TEST(Fuse, KeepsAValueThatOthersRead) {
  EXPECT_EQ(titles(SmallGraph()
                       .input("x", {4, 8})
                       .weights("w", {8, 8})
                       .node("MatMul", {"x", "w"}, "m")
                       .node("Relu", {"m"}, "y")
                       .output("m")
                       .output("y")),
            (Titles{"MatMul", "Relu"}));
}

TEST(Fuse, ReadsMovedElementsInPlace) {
  EXPECT_EQ(titles(SmallGraph()
                       .input("x", {4, 8})
                       .input("y", {6, 8})
                       .node("Transpose", {"y"}, "t")
                       .node("MatMul", {"x", "t"}, "z")
                       .output("z")),
            Titles{"Transpose+MatMul"});
}

TEST(Fuse, ComputesConvolutionsOfComputedImagesApart) {
  EXPECT_EQ(titles(SmallGraph()
                       .input("x", {1, 8, 6, 6})
                       .weights("w", {8, 8, 3, 3})
                       .node("Relu", {"x"}, "r")
                       .node("Conv", {"r", "w"}, "y")
                       .output("y")),
            (Titles{"Relu", "Conv"}));
}

TEST(Fuse, MakesReshapesViews) {
  const Result<Network> network = fuse(SmallGraph()
                                           .input("x", {4, 8})
                                           .integers("shape", {2, 16})
                                           .node("Relu", {"x"}, "r")
                                           .node("Reshape", {"r", "shape"}, "v")
                                           .node("Neg", {"v"}, "y")
                                           .output("y")
                                           .inferred());
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_EQ(network->calls.size(), 2U);
  EXPECT_EQ(network->root_of("v"), "r");
}

TEST(Fuse, WritesScalarsIntoTheCode) {
  const Result<Network> network = fuse(SmallGraph()
                                           .input("x", {4})
                                           .scalar("half", 0.5)
                                           .node("Mul", {"x", "half"}, "y")
                                           .output("y")
                                           .inferred());
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->calls[0].inputs, std::vector<ValueId>{"x"});
  EXPECT_TRUE(network->calls[0].computation.tables.empty());
}

}  // namespace
}  // namespace tessera
