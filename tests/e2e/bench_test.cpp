#include "base/check.h"
#include "e2e/program.h"
#include "onnx/export.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tessera {
namespace {

/// A product, as a file.
File model() {
  return File(export_onnx(SmallGraph()
                              .input("x", {32, 64})
                              .weights("w", {64, 64})
                              .node("MatMul", {"x", "w"}, "y")
                              .output("y")
                              .inferred()),
              ".onnx");
}

TEST(Bench, TellsWhatRunsTook) {
  const File file = model();
  const std::string text = printed("bench --seconds 0.1 --threads 2 " + file.path());
  EXPECT_NE(text.find(file.path() + ": median "), std::string::npos) << text;
  for (const char* part :
       {" ms (± ", ", 95 %), p90 ", ", min ", " runs after ", " to warm up, 2 threads\n"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Bench, WritesJson) {
  const File file = model();
  const auto facts =
      nlohmann::json::parse(printed("bench --json --seconds 0.1 --threads 1 " + file.path()));
  EXPECT_EQ(facts.at("threads"), 1);
  EXPECT_GE(facts.at("runs"), 10);
  EXPECT_GE(facts.at("warm_up_runs"), 1);
  EXPECT_LE(facts.at("min_ms"), facts.at("median_ms"));
  EXPECT_LE(facts.at("median_ms"), facts.at("p90_ms"));
  EXPECT_GE(facts.at("median_error_ms"), 0);
  EXPECT_TRUE(facts.at("is_noisy").is_boolean());
}

TEST(Bench, RefusesWhatIsOutOfRange) {
  expect_refusal("bench zoo:vgg16 --threads 0",
                 "--threads: Value 0 not in range 1 to 1024; see tessera --help");
  expect_refusal("bench nowhere.tessera", "nowhere.tessera: No such file or directory");
}

}  // namespace
}  // namespace tessera
