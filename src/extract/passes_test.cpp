#include "extract/passes.h"

#include "ir/interpret.h"
#include "support/golden.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera {
namespace {

Result<std::vector<HostBuffer>> interpret(const Computation& c, std::span<const HostBuffer> given) {
  return evaluate(c, given);
}

std::vector<std::string> ops_of(const Graph& graph) {
  std::vector<std::string> ops;
  for (const Node& node : graph.nodes) ops.push_back(node.op);
  return ops;
}

using Ops = std::vector<std::string>;

TEST(FoldConstants, ComputesWhatNeedsNoInput) {
  const Graph before = SmallGraph()
                           .input("x", {70, 70})
                           .weights("w", {70, 70})
                           .node("Transpose", {"w"}, "t")
                           .node("Add", {"x", "t"}, "y")
                           .output("y")
                           .inferred();
  Graph graph = before;
  ASSERT_TRUE(fold_constants(graph, interpret));
  EXPECT_EQ(ops_of(graph), Ops{"Add"});
  EXPECT_EQ(difference(graph, before), "");
}

TEST(Canonicalise, SplitsIntoSlicesAndDropsIdentities) {
  const Graph before = SmallGraph()
                           .input("x", {4, 6})
                           .node("Identity", {"x"}, "same")
                           .nodes("Split", {"same"}, {"a", "b"}, {{"axis", std::int64_t{-1}}})
                           .node("Mul", {"a", "b"}, "y")
                           .output("y")
                           .inferred();
  Graph graph = before;
  canonicalise(graph);
  EXPECT_EQ(ops_of(graph), (Ops{"Slice", "Slice", "Mul"}));
  EXPECT_EQ(difference(graph, before), "");
}

SmallGraph conv_and_norm() {
  return SmallGraph()
      .input("x", {1, 3, 5, 5})
      .weights("w", {4, 3, 3, 3})
      .weights("b", {4})
      .weights("scale", {4})
      .weights("shift", {4})
      .weights("mean", {4})
      .weights("variance", {4})
      .node("Conv", {"x", "w", "b"}, "c")
      .node("BatchNormalization", {"c", "scale", "shift", "mean", "variance"}, "y")
      .output("y");
}

TEST(FoldScales, PutsANormIntoTheConvolutionBefore) {
  const Graph before = conv_and_norm().inferred();
  Graph graph = before;
  fold_scales(graph);
  EXPECT_EQ(ops_of(graph), Ops{"Conv"});
  EXPECT_EQ(difference(graph, before), "");
}

TEST(FoldScales, LeavesAConvolutionThatOthersRead) {
  Graph graph = conv_and_norm().output("c").inferred();
  fold_scales(graph);
  EXPECT_EQ(ops_of(graph), (Ops{"Conv", "BatchNormalization"}));
}

SmallGraph centred_and_squared() {
  return SmallGraph()
      .input("x", {3, 8})
      .scalar("two", 2)
      .scalar("epsilon", 1e-5)
      .weights("scale", {8})
      .weights("shift", {8})
      .node("ReduceMean", {"x"}, "mean", {{"axes", std::vector<std::int64_t>{-1}}})
      .node("Sub", {"x", "mean"}, "centred")
      .node("Pow", {"centred", "two"}, "squares")
      .node("ReduceMean", {"squares"}, "variance", {{"axes", std::vector<std::int64_t>{-1}}})
      .node("Add", {"variance", "epsilon"}, "sum")
      .node("Sqrt", {"sum"}, "root")
      .node("Div", {"centred", "root"}, "normal")
      .node("Mul", {"normal", "scale"}, "scaled");
}

TEST(RecoverNorms, FindsALayerNorm) {
  const Graph before =
      centred_and_squared().node("Add", {"scaled", "shift"}, "y").output("y").inferred();
  Graph graph = before;
  recover_norms(graph);
  EXPECT_EQ(ops_of(graph), Ops{"LayerNormalization"});
  EXPECT_EQ(difference(graph, before), "");
}

TEST(RecoverNorms, FindsOneWithoutAShift) {
  const Graph before = centred_and_squared().output("scaled").inferred();
  Graph graph = before;
  recover_norms(graph);
  EXPECT_EQ(ops_of(graph), Ops{"LayerNormalization"});
  EXPECT_EQ(difference(graph, before), "");
}

/// `root` is that of the mean of the squares of x [8, 8] along an axis.
SmallGraph root_of_mean_square(std::int64_t axis) {
  return SmallGraph()
      .input("x", {8, 8})
      .scalar("two", 2)
      .scalar("one", 1)
      .scalar("epsilon", 1e-5)
      .weights("scale", {8})
      .node("Pow", {"x", "two"}, "squares")
      .node("ReduceMean", {"squares"}, "mean", {{"axes", std::vector<std::int64_t>{axis}}})
      .node("Add", {"mean", "epsilon"}, "sum")
      .node("Sqrt", {"sum"}, "root");
}

TEST(RecoverNorms, FindsARootMeanSquareNorm) {
  const Graph before = root_of_mean_square(-1)
                           .node("Div", {"one", "root"}, "inverse")
                           .node("Mul", {"x", "inverse"}, "normal")
                           .node("Mul", {"scale", "normal"}, "y")
                           .output("y")
                           .inferred();
  Graph graph = before;
  recover_norms(graph);
  EXPECT_EQ(ops_of(graph), Ops{"RMSNormalization"});
  EXPECT_EQ(difference(graph, before), "");
}

TEST(RecoverNorms, LeavesAMeanOverAnotherAxis) {
  const Graph before = root_of_mean_square(0)
                           .node("Div", {"x", "root"}, "normal")
                           .node("Mul", {"normal", "scale"}, "y")
                           .output("y")
                           .inferred();
  Graph graph = before;
  recover_norms(graph);
  EXPECT_EQ(graph.nodes.size(), before.nodes.size());
}

TEST(FoldPads, LetsTheConvolutionPad) {
  const auto padded = [](const std::vector<std::int64_t>& widths) {
    return SmallGraph()
        .input("x", {1, 3, 5, 5})
        .weights("w", {4, 3, 3, 3})
        .integers("widths", widths)
        .node("Pad", {"x", "widths"}, "p")
        .node("Conv", {"p", "w"}, "y", {{"pads", std::vector<std::int64_t>{0, 1, 0, 1}}})
        .output("y")
        .inferred();
  };
  const Graph before = padded({0, 0, 1, 2, 0, 0, 3, 4});
  Graph graph = before;
  fold_pads(graph);
  EXPECT_EQ(ops_of(graph), Ops{"Conv"});
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(graph.nodes[0].attributes.at("pads")),
            (std::vector<std::int64_t>{1, 3, 3, 5}));
  EXPECT_EQ(difference(graph, before), "");
  Graph cut = padded({0, 0, -1, 0, 0, 0, 0, 0});
  fold_pads(cut);
  EXPECT_EQ(ops_of(cut), (Ops{"Pad", "Conv"}));
}

TEST(FoldScales, PutsProductsAndSumsPerChannelIntoTheConvolution) {
  const auto scaled = [](const Shape& factor) {
    return SmallGraph()
        .input("x", {1, 3, 5, 4})
        .weights("w", {4, 3, 3, 3})
        .weights("factor", factor)
        .weights("shift", {1, 4, 1, 1})
        .node("Conv", {"x", "w"}, "c")
        .node("Mul", {"factor", "c"}, "m")
        .node("Add", {"m", "shift"}, "y")
        .output("y")
        .inferred();
  };
  for (const Shape& factor : {Shape{4, 1, 1}, Shape{1}}) {
    const Graph before = scaled(factor);
    Graph graph = before;
    fold_scales(graph);
    EXPECT_EQ(ops_of(graph), Ops{"Conv"});
    EXPECT_EQ(difference(graph, before), "");
  }
  const Graph before = scaled({3, 2});  // along rows and columns
  Graph graph = before;
  fold_scales(graph);
  EXPECT_EQ(ops_of(graph), (Ops{"Conv", "Mul", "Add"}));
}

SmallGraph halves_of(const std::string& function) {
  SmallGraph graph;
  graph.input("x", {4, 6}).scalar("half", 0.5).scalar("one", 1).scalar("root", std::sqrt(2.0));
  graph.scalar("slope", std::sqrt(2 / std::numbers::pi)).scalar("bend", 0.044715).scalar("3", 3);
  if (function == "Erf")
    graph.node("Div", {"x", "root"}, "u");
  else
    graph.node("Pow", {"x", "3"}, "cube")
        .node("Mul", {"bend", "cube"}, "bent")
        .node("Add", {"x", "bent"}, "sum")
        .node("Mul", {"slope", "sum"}, "u");
  return graph.node(function, {"u"}, "f").node("Add", {"f", "one"}, "g");
}

TEST(RecoverGelu, FindsItsFormsInAnyOrder) {
  for (const std::string function : {"Erf", "Tanh"}) {
    const std::vector<SmallGraph> forms = {
        halves_of(function).node("Mul", {"x", "g"}, "m").node("Mul", {"m", "half"}, "y"),
        halves_of(function).node("Mul", {"half", "x"}, "m").node("Mul", {"m", "g"}, "y"),
        halves_of(function).node("Mul", {"g", "half"}, "m").node("Mul", {"x", "m"}, "y")};
    for (SmallGraph form : forms) {
      const Graph before = form.output("y").inferred();
      Graph graph = before;
      recover_gelu(graph);
      EXPECT_EQ(ops_of(graph), Ops{"Gelu"});
      EXPECT_EQ(difference(graph, before), "");
    }
  }
}

TEST(RecoverGelu, LeavesWhatIsNone) {
  Graph graph = halves_of("Erf").node("Mul", {"x", "g"}, "y").output("y").inferred();
  recover_gelu(graph);
  EXPECT_EQ(ops_of(graph), (Ops{"Div", "Erf", "Add", "Mul"}));
}

/// Three convolutions of one input; the third is joined with the second's successor.
SmallGraph parallel_convs(const std::string& function) {
  return SmallGraph()
      .input("x", {1, 8, 5, 5})
      .weights("w1", {16, 8, 1, 1})
      .weights("w2", {32, 8, 1, 1})
      .weights("w3", {16, 8, 1, 1})
      .weights("b1", {16})
      .weights("b2", {32})
      .weights("b3", {16})
      .weights("v1", {4, 16, 3, 3})
      .weights("v2", {16, 32, 1, 1})
      .node("Conv", {"x", "w1", "b1"}, "a")
      .node("Relu", {"a"}, "ra")
      .node("Conv", {"ra", "v1"}, "y")
      .node("Conv", {"x", "w2", "b2"}, "b")
      .node(function, {"b"}, "rb")
      .node("Conv", {"rb", "v2"}, "c")
      .node("Conv", {"x", "w3", "b3"}, "d")
      .node("Relu", {"d"}, "rd")
      .node("Concat", {"c", "rd"}, "z", {{"axis", std::int64_t{1}}})
      .output("y")
      .output("z");
}

TEST(MergeParallel, MakesOneOfConvolutionsAlike) {
  const Graph before = parallel_convs("Relu").inferred();
  Graph graph = before;
  merge_parallel(graph);
  expect_golden(to_text(graph));
  EXPECT_EQ(difference(graph, before), "");
}

TEST(MergeParallel, LeavesWhatDiffers) {
  Graph graph = parallel_convs("Sigmoid").inferred();
  const std::string before = to_text(graph);
  merge_parallel(graph);
  EXPECT_EQ(to_text(graph), before);
}

TEST(Canonicalise, TakesConcatsThatDoNotTellTheirAxis) {
  Graph graph =
      SmallGraph().input("a", {2, 3}).node("Concat", {"a", "a"}, "y").output("y").inferred();
  canonicalise(graph);
  EXPECT_EQ(graph.nodes.size(), 1U);
}

TEST(Canonicalise, SharesWhatConcatsBeginWith) {
  const Attribute axis = std::int64_t{0};
  const Graph before = SmallGraph()
                           .input("a", {2, 3})
                           .input("b", {2, 3})
                           .input("c", {1, 3})
                           .node("Concat", {"a", "b"}, "ab", {{"axis", axis}})
                           .node("Concat", {"a", "b", "c"}, "abc", {{"axis", axis}})
                           .node("Concat", {"a", "b", "c", "a"}, "abca", {{"axis", axis}})
                           .output("ab")
                           .output("abc")
                           .output("abca")
                           .inferred();
  Graph graph = before;
  canonicalise(graph);
  EXPECT_EQ(graph.nodes[1].inputs, (std::vector<ValueId>{"ab", "c"}));
  EXPECT_EQ(graph.nodes[2].inputs, (std::vector<ValueId>{"abc", "a"}));
  EXPECT_EQ(difference(graph, before), "");
}

}  // namespace
}  // namespace tessera
