#include "extract/assign_layouts.h"

#include "extract/copy_outputs.h"
#include "extract/fuse.h"
#include "support/golden.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

Network assigned(const SmallGraph& graph) {
  Network network = *fuse(graph.inferred());
  assign_layouts(network, *parse_target("x86-avx2 cores=2"));
  copy_outputs(network);
  return network;
}

using Attributes = std::map<std::string, Attribute>;
const Attributes padded = {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};

TEST(AssignLayouts, BlocksImagesBetweenConvolutions) {
  expect_golden(to_text(assigned(SmallGraph()
                                     .input("x", {1, 3, 32, 32})
                                     .weights("w1", {16, 3, 3, 3})
                                     .weights("w2", {16, 16, 3, 3})
                                     .node("Conv", {"x", "w1"}, "a", padded)
                                     .node("Relu", {"a"}, "b")
                                     .node("Conv", {"b", "w2"}, "c", padded)
                                     .node("Add", {"b", "c"}, "y")
                                     .output("y"))));
}

TEST(AssignLayouts, LeavesMatricesAsTheyAre) {
  const Network network = assigned(SmallGraph()
                                       .input("x", {16, 32})
                                       .weights("w", {32, 32})
                                       .node("MatMul", {"x", "w"}, "y")
                                       .output("y"));
  EXPECT_TRUE(network.layouts.empty());
}

TEST(CopyOutputs, CopiesWhatNoCallMakes) {
  const Network network = assigned(SmallGraph()
                                       .input("x", {4, 8})
                                       .weights("w", {3})
                                       .node("Relu", {"x"}, "y")
                                       .output("x")
                                       .output("w")
                                       .output("y")
                                       .output("y"));
  std::vector<std::string> made;
  for (const Call& call : network.calls) made.push_back(call.title + " " + call.inputs.front());
  EXPECT_EQ(made, (std::vector<std::string>{"Relu x", "copy x", "copy w", "copy y"}));
}

TEST(CopyOutputs, LeavesValuesWithoutElementsAlone) {
  const Network network = assigned(SmallGraph().integers("none", {}).output("none"));
  EXPECT_TRUE(network.calls.empty());
}

}  // namespace
}  // namespace tessera
