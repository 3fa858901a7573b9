#include "extract/assign_layouts.h"

#include "extract/copy_outputs.h"
#include "extract/fuse.h"
#include "extract/join_parts.h"
#include "support/golden.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

Network assigned(const SmallGraph& graph) {
  Network network = *fuse(graph.inferred());
  const Target target = *parse_target("x86-avx2 cores=2");
  PriorDrafts drafts;
  assign_layouts(network, target, drafts);
  copy_outputs(network);
  join_parts(network, target);
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

std::vector<std::string> titles(const Network& network) {
  std::vector<std::string> out;
  for (const Call& call : network.calls) out.push_back(call.title);
  return out;
}

TEST(JoinParts, WritesPartsWhereTheyLieInTheWhole) {
  const Network network = assigned(SmallGraph()
                                       .input("x", {1, 16, 8, 8})
                                       .weights("w1", {16, 16, 1, 1})
                                       .weights("w2", {8, 16, 3, 3})
                                       .weights("w3", {16, 24, 3, 3})
                                       .node("Conv", {"x", "w1"}, "a")
                                       .node("Conv", {"x", "w2"}, "b", padded)
                                       .node("Concat", {"a", "b"}, "c", {{"axis", std::int64_t{1}}})
                                       .node("Conv", {"c", "w3"}, "y", padded)
                                       .output("y"));
  expect_golden(to_text(network));
  EXPECT_EQ(network.layout_of("a"), network.layout_of("c"));
  EXPECT_EQ(network.layout_of("b"), network.layout_of("c"));
}

TEST(JoinParts, CopiesWhatLiesElsewhere) {
  const Network network =
      assigned(SmallGraph()
                   .input("x", {1, 32})
                   .weights("w", {1, 32})
                   .node("Relu", {"x"}, "r")
                   .node("Concat", {"x", "w", "r"}, "c", {{"axis", std::int64_t{1}}})
                   .node("Concat", {"r", "x"}, "d", {{"axis", std::int64_t{1}}})
                   .node("Concat", {"c", "d"}, "e", {{"axis", std::int64_t{1}}})
                   .node("Neg", {"e"}, "y")
                   .output("y"));
  EXPECT_EQ(titles(network),
            (std::vector<std::string>{"Relu", "copy", "copy", "copy", "copy", "Neg"}));
  EXPECT_EQ(network.parts.at("r").whole, "c");
  EXPECT_EQ(network.parts.at("c").begin, 0);
  EXPECT_EQ(network.parts.at("d").begin, 96);
}

TEST(JoinParts, LeavesWhatVectorsCannotBeWrittenTo) {
  const Network network = assigned(SmallGraph()
                                       .input("x", {1, 1, 3, 5})
                                       .node("Relu", {"x"}, "r")
                                       .node("Neg", {"x"}, "n")
                                       .node("Concat", {"r", "n"}, "y", {{"axis", std::int64_t{1}}})
                                       .output("y"));
  EXPECT_EQ(titles(network), (std::vector<std::string>{"Relu", "Neg", "Concat"}));
  EXPECT_TRUE(network.parts.empty());
}

TEST(AssignLayouts, LetsSlicesLieInWhatTheyAreCutFrom) {
  const Network network = assigned(SmallGraph()
                                       .input("x", {1, 16, 8, 8})
                                       .weights("w1", {48, 16, 1, 1})
                                       .weights("w2", {16, 32, 3, 3})
                                       .integers("axis", {1})
                                       .integers("0", {0})
                                       .integers("16", {16})
                                       .integers("48", {48})
                                       .node("Conv", {"x", "w1"}, "a")
                                       .node("Slice", {"a", "0", "16", "axis"}, "b")
                                       .node("Slice", {"a", "16", "48", "axis"}, "c")
                                       .node("Conv", {"c", "w2"}, "d", padded)
                                       .node("Add", {"b", "d"}, "y")
                                       .output("y"));
  expect_golden(to_text(network));
  EXPECT_EQ(network.layout_of("c"), network.layout_of("a"));
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
