#include "ops/nodes/test_node.h"

#include <cmath>

namespace tessera {
namespace {

/// Two times of one head of size 1: queries 1 and 2, keys 3 and 4, values 5 and 6.
TestNode attention(const char* rule) {
  return TestNode("LinearAttention", 27)
      .input({1, 2, 1}, {1, 2})
      .input({1, 2, 1}, {3, 4})
      .input({1, 2, 1}, {5, 6})
      .attribute("q_num_heads", 1)
      .attribute("kv_num_heads", 1)
      .attribute("update_rule", std::string(rule))
      .outputs(2);
}

TEST(LinearAttentionNodes, AddOuterProducts) {
  const TestNode node = attention("linear");
  node.expect(0, {1, 2, 1}, {15, 2 * (15 + 24)});
  node.expect(1, {1, 1, 1, 1}, {39});
  attention("linear").input({1, 1, 1, 1}, {100}).expect(0, {1, 2, 1}, {115, 2 * 139});
  attention("linear").attribute("scale", 0.5).expect(0, {1, 2, 1}, {7.5, 39});
}

TEST(LinearAttentionNodes, ForgetAndCorrect) {
  const auto with_decay = [](const char* rule) {
    return attention(rule).absent_input().input({1, 2, 1}, {0, std::log(0.5)});
  };
  with_decay("gated").expect(1, {1, 1, 1, 1}, {7.5 + 24});
  attention("delta")
      .absent_input()
      .absent_input()
      .input({1, 2, 1}, {1, 0.25})
      .expect(1, {1, 1, 1, 1}, {15 + 4 * 0.25 * (6 - 4 * 15)});
  with_decay("gated_delta")
      .input({1, 2, 1}, {1, 0.25})
      .expect(1, {1, 1, 1, 1}, {7.5 + 4 * 0.25 * (6 - 4 * 7.5)});
}

TEST(LinearAttentionNodes, ShareKeysAmongHeads) {
  TestNode("LinearAttention", 27)
      .input({1, 2, 2}, {1, 10, 2, 20})
      .input({1, 2, 1}, {3, 4})
      .input({1, 2, 1}, {5, 6})
      .attribute("q_num_heads", 2)
      .attribute("kv_num_heads", 1)
      .attribute("update_rule", std::string("linear"))
      .expect({1, 2, 2}, {15, 150, 78, 780});
}

TEST(LinearAttentionNodes, RefuseWhatDoesNotFit) {
  EXPECT_EQ(attention("other").refusal(),
            "update_rule other, expected linear, gated, delta or gated_delta");
  EXPECT_EQ(attention("gated").refusal(),
            "update_rule gated needs a decay when gated and a beta when delta");
  EXPECT_EQ(attention("linear").input({1, 1}, {1}).refusal(),
            "a past [1, 1], expected [1, 1, 1, 1]");
}

/// Two taps over three times.
TestNode convolution() {
  return TestNode("CausalConvWithState", 27)
      .input({1, 1, 3}, {1, 2, 3})
      .input({1, 1, 2}, {10, 1})
      .outputs(2);
}

TEST(LinearAttentionNodes, ConvolveThePast) {
  convolution().expect(0, {1, 1, 3}, {1, 12, 23});
  convolution().expect(1, {1, 1, 1}, {3});
  convolution().input({1}, {100}).input({1, 1, 1}, {7}).expect(0, {1, 1, 3}, {171, 112, 123});
  convolution()
      .attribute("activation", std::string("silu"))
      .expect(0, {1, 1, 3}, {1 / (1 + std::exp(-1)), 12 / (1 + std::exp(-12)), 23});
  const TestNode single =
      TestNode("CausalConvWithState", 27).input({1, 1, 2}, {1, 2}).input({1, 1, 1}, {3}).outputs(2);
  single.expect(0, {1, 1, 2}, {3, 6});
  single.expect(1, {1, 1, 0}, {});
  EXPECT_EQ(convolution().attribute("activation", std::string("relu")).refusal(),
            "activation relu, expected none, silu or swish");
  EXPECT_EQ(convolution().absent_input().input({1, 1, 2}, {1, 2}).refusal(),
            "a past [1, 1, 2], expected [1, 1, 1]");
}

}  // namespace
}  // namespace tessera
