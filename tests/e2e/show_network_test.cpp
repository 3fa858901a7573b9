#include "base/check.h"
#include "base/temporary_folder.h"
#include "e2e/program.h"
#include "onnx/export.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// `z = Relu(x) * w` as a file.
class ShowNetwork : public testing::Test {
 protected:
  ShowNetwork() {
    const Graph graph = SmallGraph()
                            .input("x", {4, 8})
                            .scalar("w", 2)
                            .node("Relu", {"x"}, "y")
                            .node("Mul", {"y", "w"}, "z")
                            .output("z")
                            .inferred();
    check(export_onnx_file(graph, model()).has_value(), "a model");
  }

  std::string model() const { return (folder_ / "model.onnx").string(); }
  std::string package() const { return (folder_ / "model.tessera").string(); }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(ShowNetwork, PrintsEveryStation) {
  const std::string on = " --target=x86-avx2 " + model();
  EXPECT_EQ(printed("show --emit=graph" + on),
            "graph small\n"
            "input x float[4, 8]\n"
            "constant w float[] = 2\n"
            "y = Relu(x)\n"
            "z = Mul(y, w)\n"
            "output z\n");
  const std::string network = printed("show --emit=network" + on);
  EXPECT_TRUE(network.starts_with("network small\n")) << network;
  EXPECT_NE(network.find("z float[4, 8] = Relu+Mul(x float[4, 8]"), std::string::npos) << network;
  EXPECT_EQ(printed("show" + on), network);
  const std::string tasks = printed("show --emit=tasks" + on);
  EXPECT_TRUE(tasks.starts_with("# Relu+Mul\ncomputation kernel_0\n")) << tasks;
  EXPECT_NE(tasks.find("\nvectorize "), std::string::npos) << tasks;
  const std::string plan = printed("show --emit=plan" + on);
  EXPECT_TRUE(plan.starts_with("plan small\ninput x float[4, 8]\noutput z float[4, 8]\narena 0 "))
      << plan;
}

TEST_F(ShowNetwork, PrintsThePlanOfAPackage) {
  printed("compile --target=aarch64-neon " + model() + " -o " + package());
  EXPECT_EQ(printed("show " + package()),
            printed("show --emit=plan --target=aarch64-neon " + model()));
}

TEST_F(ShowNetwork, WritesJson) {
  EXPECT_TRUE(printed("show --json --target=x86-avx2 --emit=graph " + model())
                  .starts_with("{\n  \"subject\": \"" + model() +
                               "\",\n  \"target\": \"x86-avx2\",\n  \"emit\": \"graph\",\n"
                               "  \"text\": \"graph small\\n"));
}

TEST_F(ShowNetwork, RefusesWhatDoesNotGoWithANetwork) {
  expect_refusal("show --emit=asm " + model(), "--emit=asm: " + model() +
                                                   " is a network, expected one of graph, network, "
                                                   "tasks, plan");
  expect_refusal("show --emit=graph " + package(),
                 "--emit=graph: " + package() + " is a package, expected plan");
  expect_refusal("show --schedule=default " + model(),
                 "--schedule=default: " + model() + " is a network, expected a task");
  expect_refusal("show --task=x zoo:vgg16", "--task=x: zoo:vgg16 is a network, expected a task");
  expect_refusal("show matmul:m=8,n=8,k=8 --shape x=1",
                 "--shape x=1: matmul:m=8,n=8,k=8 has none open, expected a network");
  expect_refusal("show --shape x=4,8 " + package(),
                 "--shape x=4,8: the shapes of " + package() + " are fixed");
  expect_refusal("run --shape x=4,8 " + package(),
                 "--shape x=4,8: the shapes of " + package() + " are fixed");
  expect_refusal("show nowhere.onnx", "nowhere.onnx: No such file or directory");
  expect_refusal("show nowhere.tessera", "nowhere.tessera: No such file or directory");
}

}  // namespace
}  // namespace tessera
