#include "base/check.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "e2e/program.h"
#include "onnx/export.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tessera {
namespace {

/// Two products of the same shape and a softmax, as a model and as a package.
class Profile : public testing::Test {
 protected:
  Profile() {
    const Graph graph = SmallGraph()
                            .input("x", {32, 64})
                            .weights("v", {64, 64})
                            .weights("w", {64, 64})
                            .node("MatMul", {"x", "v"}, "y")
                            .node("MatMul", {"y", "w"}, "z")
                            .node("Softmax", {"z"}, "p")
                            .output("p")
                            .inferred();
    check(export_onnx_file(graph, path("model.onnx")).has_value(), "a model");
    printed("compile " + path("model.onnx") + " -o " + path("model.tessera"));
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(Profile, HasALinePerTask) {
  const std::string text = printed("profile --runs 2 --threads 2 " + path("model.tessera"));
  EXPECT_TRUE(text.starts_with("       ms  share calls  GFLOP/s  % peak limit     kernel")) << text;
  EXPECT_NE(text.find("kernel_0    tile "), std::string::npos) << text;
  EXPECT_NE(text.find("MatMul\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Softmax\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" ms in 3 calls of 2 kernels, 2 threads, peak "), std::string::npos) << text;
}

TEST_F(Profile, PrintsSchedules) {
  const std::string text = printed("profile --runs 2 --schedules " + path("model.onnx"));
  EXPECT_NE(text.find("\n    vectorize "), std::string::npos) << text;
}

TEST_F(Profile, WritesJson) {
  const auto document =
      nlohmann::json::parse(printed("profile --runs 2 --json " + path("model.tessera")));
  ASSERT_EQ(document.at("tasks").size(), 2U);
  double share = 0;
  for (const auto& task : document.at("tasks")) {
    share += task.at("share").get<double>();
    const std::string limit = task.at("limit");
    EXPECT_TRUE(limit == "compute" || limit == "memory" || limit == "overhead") << limit;
    EXPECT_NE(task.at("schedule"), "");
    EXPECT_GT(task.at("traffic_bytes"), 0);
    const double expected = task.at("calls").size() == 2 ? 2 * 2.0 * 32 * 64 * 64 : 0;
    EXPECT_GE(task.at("flops"), expected);
  }
  EXPECT_NEAR(share, 1, 1e-9);
}

TEST_F(Profile, WritesATraceForChrome) {
  printed("profile --runs 2 " + path("model.tessera") + " --trace " + path("trace.json"));
  const auto events = nlohmann::json::parse(*read_file(path("trace.json"))).at("traceEvents");
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[2].at("name"), "Softmax");
  EXPECT_EQ(events[1].at("ts"), events[0].at("dur"));
}

}  // namespace
}  // namespace tessera
