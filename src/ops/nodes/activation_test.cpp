#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;

TestNode on_three(const std::string& op, const std::string& domain = "") {
  return TestNode(op, domain.empty() ? 23 : 1, domain).input({3}, {-2, 0.5, 3});
}

TEST(ActivationNodes, FollowTheirFormulas) {
  on_three("Relu").expect({3}, {0, 0.5, 3});
  on_three("LeakyRelu").expect({3}, {-0.02, 0.5, 3});
  on_three("Elu").attribute("alpha", 2.0).expect({3}, {-1.729329, 0.5, 3});
  on_three("Selu").expect({3}, {-1.520167, 0.525350, 3.152103});
  on_three("Celu").attribute("alpha", 2.0).expect({3}, {-1.264241, 0.5, 3});
  on_three("Gelu").expect({3}, {-0.045500, 0.345731, 2.995950});
  on_three("Gelu").attribute("approximate", "tanh").expect({3}, {-0.045402, 0.345714, 2.996363});
  on_three("HardSigmoid").expect({3}, {0.1, 0.6, 1});
  on_three("HardSwish").expect({3}, {-0.333333, 0.291667, 3});
  on_three("Mish").expect({3}, {-0.252502, 0.375245, 2.986536});
  on_three("Softplus").expect({3}, {0.126928, 0.974077, 3.048587});
  on_three("Softsign").expect({3}, {-0.666667, 0.333333, 0.75});
  on_three("Swish").expect({3}, {-0.238406, 0.311230, 2.857722});
  on_three("ThresholdedRelu").expect({3}, {0, 0, 3});
  on_three("Shrink").attribute("bias", 1.5).expect({3}, {-0.5, 0, 1.5});
}

TEST(ActivationNodes, OfMicrosoftAddABias) {
  on_three("FastGelu", "com.microsoft").expect({3}, {-0.045402, 0.345714, 2.996363});
  TestNode("BiasGelu", 1, "com.microsoft")
      .input({1, 3}, {-3, -0.5, 2})
      .input({3}, {1, 1, 1})
      .expect({1, 3}, {-0.045500, 0.345731, 2.995950});
  on_three("QuickGelu", "com.microsoft").expect({3}, {-0.064334, 0.350389, 2.981926}, Float, 1e-4);
}

TEST(ActivationNodes, RefuseAnUnknownApproximation) {
  EXPECT_EQ(on_three("Gelu").attribute("approximate", "cubic").refusal(),
            "Gelu \"node\": approximate is \"cubic\", expected none or tanh");
}

TEST(ActivationNodes, ShrinkIntegers) {
  TestNode("Shrink")
      .input({3}, {-3, 1, 3}, Int32)
      .attribute("lambd", 2.0)
      .attribute("bias", 1.0)
      .expect({3}, {-2, 0, 2}, Int32);
}

TEST(ActivationNodes, GiveEachChannelItsSlopeBeforeVersion7) {
  TestNode("PRelu", 6)
      .input({1, 2, 2}, {-1, -2, -3, 4})
      .input({2}, {0.5, 2})
      .expect({1, 2, 2}, {-0.5, -1, -6, 4});
  TestNode("PRelu", 9)
      .input({1, 2, 2}, {-1, -2, -3, 4})
      .input({2}, {0.5, 2})
      .expect({1, 2, 2}, {-0.5, -4, -1.5, 4});
  EXPECT_EQ(TestNode("PRelu").input({1}, {1}).input({1}, {1}, Int32).refusal(),
            "PRelu \"node\": dtypes f32 and i32 differ");
}

}  // namespace
}  // namespace tessera
