#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;

TestNode likelihood(const std::string& reduction) {
  return TestNode("NegativeLogLikelihoodLoss", 13)
      .input({3, 2}, {-1, -2, -3, -4, -5, -6})
      .input({3}, {0, 1, 0}, Int64)
      .attribute("reduction", reduction);
}

TEST(LossNodes, TakeTheScoreOfEachClass) {
  likelihood("none").expect({3}, {1, 4, 5});
  likelihood("sum").expect({}, {10});
  likelihood("mean").expect({}, {10.0 / 3});
  likelihood("mean").input({2}, {1, 2}).expect({}, {14.0 / 4});
  likelihood("mean").attribute("ignore_index", std::int64_t{1}).expect({}, {3});
}

TEST(LossNodes, GiveLogarithmsBeside) {
  const TestNode node = TestNode("SoftmaxCrossEntropyLoss", 13)
                            .input({1, 2}, {0, 0})
                            .input({1}, {1}, Int64)
                            .outputs(2);
  node.expect(0, {}, {0.6931472});
  node.expect(1, {1, 2}, {-0.6931472, -0.6931472});
}

TEST(LossNodes, RefuseWhatDoesNotFit) {
  EXPECT_EQ(
      likelihood("most").refusal(),
      "NegativeLogLikelihoodLoss \"node\": reduction is \"most\", expected none, mean or sum");
  EXPECT_EQ(likelihood("sum").input({3}, {1, 1, 1}).refusal(),
            "NegativeLogLikelihoodLoss \"node\": weights [3] for 2 classes");
  EXPECT_EQ(TestNode("NegativeLogLikelihoodLoss")
                .input({3, 2}, {1, 2, 3, 4, 5, 6})
                .input({2}, {0, 1}, Int64)
                .refusal(),
            "NegativeLogLikelihoodLoss \"node\": classes [2], expected [3]");
}

}  // namespace
}  // namespace tessera
