#include "package/build.h"

#include "runtime/session.h"
#include "support/small_graph.h"
#include "support/temporary_path.h"
#include "tensor/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera {
namespace {

/// A graph of one input and one output as a package.
class Built {
 public:
  explicit Built(const Graph& graph) : graph_(graph) {
    Result<ExecutionPlan> built = build_package(graph, detect_host(), path_.text());
    EXPECT_TRUE(built) << built.error().message;
    plan_ = *std::move(built);
  }
  const ExecutionPlan& plan() const { return plan_; }

  /// How the second run of a session differs from the interpreter; empty when it does not.
  std::string difference() const {
    Session session = *Session::make(*Package::open(path_.text()), {.threads = 2});
    HostBuffer x(DType::F32, element_count(plan_.inputs[0].shape));
    HostBuffer y(DType::F32, element_count(plan_.outputs[0].shape));
    Rng rng(5);
    fill_random(x, rng);
    const void* in = x.data();
    void* out = y.data();
    for (int round = 0; round < 2; ++round)
      if (const auto done = session.run(std::span(&in, 1), std::span(&out, 1)); !done)
        return done.error().message;
    return compare(y, evaluated(graph_).front(), {.absolute = 1e-3, .relative = 1e-3}).message;
  }

 private:
  TemporaryPath path_;
  const Graph& graph_;
  ExecutionPlan plan_;
};

/// Titles of calls that write where they read.
std::vector<std::string> titles_in_place(const ExecutionPlan& plan) {
  std::vector<std::string> titles;
  for (const KernelCall& call : plan.calls)
    if (std::count(call.buffers.begin(), call.buffers.end(), call.buffers.back()) > 1)
      titles.push_back(call.title);
  return titles;
}

using Titles = std::vector<std::string>;

/// Two 3x3 convolutions around which the input of the first goes, one before and one after them.
Graph residual_block(std::int64_t channels, std::int64_t rows, std::int64_t columns) {
  const Attribute pads = std::vector<std::int64_t>{1, 1, 1, 1};
  return SmallGraph()
      .input("x", {1, 3, rows, columns})
      .weights("w0", {channels, 3, 1, 1})
      .weights("w1", {channels, channels, 3, 3})
      .weights("w2", {channels, channels, 3, 3})
      .weights("w3", {channels, channels, 3, 3})
      .node("Conv", {"x", "w0"}, "a")
      .node("Conv", {"a", "w1"}, "b", {{"pads", pads}})
      .node("Sigmoid", {"b"}, "c")
      .node("Conv", {"c", "w2"}, "d", {{"pads", pads}})
      .node("Add", {"d", "a"}, "e")
      .node("Tanh", {"e"}, "f")
      .node("Conv", {"f", "w3"}, "y", {{"pads", pads}})
      .output("y")
      .inferred();
}

TEST(BuildPackage, AddsToTheResidualInItsPlace) {
  for (const Shape& size : {Shape{16, 12, 12}, Shape{32, 7, 9}, Shape{20, 13, 5}, Shape{3, 9, 6}}) {
    const Graph graph = residual_block(size[0], size[1], size[2]);
    const Built built(graph);
    EXPECT_EQ(titles_in_place(built.plan()), Titles{"Conv+Add+Tanh"}) << to_text(built.plan());
    EXPECT_EQ(built.difference(), "") << size[0] << " channels";
  }
}

TEST(BuildPackage, ComputesElementwiseCallsInPlace) {
  const Graph graph = SmallGraph()
                          .input("x", {5, 24})
                          .weights("w", {24, 36})
                          .weights("v", {9, 7})
                          .integers("shape", {20, 9})
                          .node("MatMul", {"x", "w"}, "a")
                          .node("Reshape", {"a", "shape"}, "b")
                          .node("Tanh", {"b"}, "c")
                          .node("MatMul", {"c", "v"}, "y")
                          .output("y")
                          .inferred();
  const Built built(graph);
  EXPECT_EQ(titles_in_place(built.plan()), Titles{"Tanh"}) << to_text(built.plan());
  EXPECT_EQ(built.difference(), "");
}

TEST(BuildPackage, KeepsWhatIsReadInOtherPlaces) {
  const Graph graph = SmallGraph()
                          .input("x", {6, 24})
                          .weights("w", {24, 6})
                          .weights("v", {6, 7})
                          .node("MatMul", {"x", "w"}, "a")
                          .node("Transpose", {"a"}, "t")
                          .node("Add", {"a", "t"}, "b")
                          .node("Softmax", {"b"}, "c")
                          .node("MatMul", {"c", "v"}, "y")
                          .output("y")
                          .inferred();
  const Built built(graph);
  EXPECT_EQ(titles_in_place(built.plan()), Titles{}) << to_text(built.plan());
  EXPECT_EQ(built.difference(), "");
}

}  // namespace
}  // namespace tessera
