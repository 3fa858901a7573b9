#include "feature/choice_features.h"

#include "ops/tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(ChoiceFeatures, ArePlainNumbersWithoutNamesOfTensors) {
  const Task task{*parse_task_spec("gelu:rows=8,cols=32"), *parse_target("x86-avx2")};
  Space::Chain chain;
  chain.names = {{"C.tile", "6x2"}, {"C.order", "cols_outer"}, {"D.tile", "4"}};
  const std::map<std::string, float> features = choice_features(task, chain);
  EXPECT_EQ(features.at("tile.0"), 6);
  EXPECT_EQ(features.at("tile.1"), 2);
  EXPECT_EQ(features.at("order:cols_outer"), 1);
  EXPECT_EQ(features.at("tile'1.0"), 4);  // the second nest's
  EXPECT_GT(features.at("log2 flops"), 0);
}

}  // namespace
}  // namespace tessera
