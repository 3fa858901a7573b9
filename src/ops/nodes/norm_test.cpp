#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;

TEST(NormNodes, ApplyBatchStatistics) {
  const auto batch_norm = [] {
    return TestNode("BatchNormalization", 15)
        .input({1, 2, 2}, {1, 2, 3, 4})
        .input({2}, {1, 2})
        .input({2}, {0, 1})
        .input({2}, {1, 3})
        .input({2}, {4, 1})
        .attribute("epsilon", 0.0);
  };
  batch_norm().expect({1, 2, 2}, {0, 0.5, 1, 3});
  EXPECT_EQ(batch_norm().attribute("training_mode", std::int64_t{1}).refusal(),
            "BatchNormalization \"node\": training_mode is 1, expected a network that is trained");
}

TEST(NormNodes, RefuseStatisticsPerElement) {
  TestNode node("BatchNormalization", 7);
  for (int n = 0; n < 5; ++n) node.input({1, 1}, {1});
  EXPECT_EQ(node.attribute("spatial", std::int64_t{0}).refusal(),
            "BatchNormalization \"node\": spatial is 0, expected statistics per channel");
}

TEST(NormNodes, NormaliseInstancesAndGroups) {
  TestNode("InstanceNormalization")
      .input({1, 2, 2}, {-1, 1, 4, 8})
      .input({2}, {1, 3})
      .input({2}, {0, 10})
      .attribute("epsilon", 0.0)
      .expect({1, 2, 2}, {-1, 1, 7, 13});
  const auto groups = [](std::int64_t version) {
    return TestNode("GroupNormalization", version)
        .input({1, 4, 1}, {-1, 1, 4, 8})
        .attribute("num_groups", std::int64_t{2})
        .attribute("epsilon", 0.0);
  };
  groups(18).input({2}, {1, 3}).input({2}, {0, 10}).expect({1, 4, 1}, {-1, 1, 7, 13});
  groups(21).input({4}, {1, 2, 3, 4}).input({4}, {0, 0, 10, 10}).expect({1, 4, 1}, {-1, 2, 7, 14});
  EXPECT_EQ(groups(21).input({2}, {1, 1}).input({4}, {1, 1, 1, 1}).refusal(),
            "GroupNormalization \"node\": input 1 has shape [2], expected 4 elements");
  EXPECT_EQ(TestNode("GroupNormalization")
                .input({1, 4, 1}, {1, 2, 3, 4})
                .input({4}, {1, 1, 1, 1})
                .input({4}, {1, 1, 1, 1})
                .attribute("num_groups", std::int64_t{3})
                .refusal(),
            "GroupNormalization \"node\": num_groups is 3 for shape [1, 4, 1], expected a divisor "
            "of the channels");
}

TEST(NormNodes, GiveLayerStatisticsBeside) {
  const TestNode node = TestNode("LayerNormalization", 17)
                            .input({2, 2}, {1, 3, 10, 2})
                            .input({2}, {1, 2})
                            .input({2}, {0, 5})
                            .attribute("epsilon", 0.0)
                            .outputs(3);
  node.expect(0, {2, 2}, {-1, 7, 1, 3});
  node.expect(1, {2, 1}, {2, 6});
  node.expect(2, {2, 1}, {1, 0.25});
}

TEST(NormNodes, DivideByTheRootOfTheMeanSquare) {
  TestNode("RMSNormalization")
      .input({1, 2}, {1, 7})
      .input({2}, {1, 2})
      .attribute("epsilon", 0.0)
      .expect({1, 2}, {0.2, 2.8});
  const TestNode node = TestNode("SimplifiedLayerNormalization", 1)
                            .input({1, 2}, {1, 7})
                            .input({2}, {1, 1})
                            .attribute("epsilon", 0.0)
                            .outputs(2);
  node.expect(1, {1, 1}, {0.2});
}

TEST(NormNodes, SkipConnectionsAreAddedFirst) {
  const TestNode node = TestNode("SkipLayerNormalization", 1, "com.microsoft")
                            .input({1, 1, 2}, {1, 2})
                            .input({1, 1, 2}, {1, 3})
                            .input({2}, {1, 1})
                            .input({2}, {0, 1})
                            .input({2}, {0, 1})
                            .outputs(4);
  node.expect(0, {1, 1, 2}, {-1, 2});
  node.expect(1, {1, 1, 1}, {4});
  node.expect(2, {1, 1, 1}, {0.5});
  node.expect(3, {1, 1, 2}, {2, 6});
  TestNode rms = TestNode("SkipSimplifiedLayerNormalization", 1, "com.microsoft")
                     .input({1, 1, 2}, {0, 3})
                     .input({1, 1, 2}, {1, 4})
                     .input({2}, {1, 1})
                     .outputs(4);
  EXPECT_EQ(rms.refusal(), "output 1 is a mean, which is not computed");
  rms.absent_output(1);
  rms.expect(0, {1, 1, 2}, {0.2, 1.4});
  rms.expect(2, {1, 1, 1}, {0.2});
  rms.expect(3, {1, 1, 2}, {1, 7});
}

TEST(NormNodes, EmbedWords) {
  const auto embed = [] {
    return TestNode("EmbedLayerNormalization", 1, "com.microsoft")
        .input({1, 2}, {1, 0}, Int32)
        .input({1, 2}, {0, 0}, Int32)
        .input({2, 2}, {1, 2, 3, 4})
        .input({3, 2}, {0, 1, 0, 3, 9, 9})
        .input({1, 2}, {0, 0})
        .input({2}, {1, 1})
        .input({2}, {0, 10})
        .outputs(3);
  };
  embed().expect(0, {1, 2, 2}, {-1, 11, -1, 11});
  embed().expect(1, {1}, {0}, Int32);
  embed().expect(2, {1, 2, 2}, {3, 5, 1, 5});
  embed().input({1, 2}, {1, 0}, Int32).expect(1, {1}, {1}, Int32);
  EXPECT_EQ(
      TestNode("EmbedLayerNormalization", 1, "com.microsoft").input({2}, {1, 0}, Int32).refusal(),
      "expected word indices of rank 2");
}

TEST(NormNodes, NormaliseByLengths) {
  const auto lp = [](std::int64_t p) {
    return TestNode("LpNormalization").input({2, 2}, {3, 4, 0, 0}).attribute("p", p);
  };
  lp(2).expect({2, 2}, {0.6, 0.8, 0, 0});
  lp(1).expect({2, 2}, {3.0 / 7, 4.0 / 7, 0, 0});
  EXPECT_EQ(lp(3).refusal(), "LpNormalization \"node\": p is 3, expected 1 or 2");
  TestNode("MeanVarianceNormalization").input({1, 1, 1, 2}, {1, 3}).expect({1, 1, 1, 2}, {-1, 1});
}

TEST(NormNodes, DivideByNeighbouringChannels) {
  const auto lrn = [](std::int64_t size) {
    return TestNode("LRN")
        .input({1, 3, 1}, {1, 2, 3})
        .attribute("size", size)
        .attribute("alpha", 2.0)
        .attribute("beta", 1.0);
  };
  lrn(2).expect({1, 3, 1}, {1.0 / 6, 2.0 / 14, 3.0 / 10});
  EXPECT_EQ(lrn(0).refusal(), "LRN \"node\": size is 0, expected 1 or more");
}

}  // namespace
}  // namespace tessera
