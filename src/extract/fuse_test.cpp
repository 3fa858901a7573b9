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
