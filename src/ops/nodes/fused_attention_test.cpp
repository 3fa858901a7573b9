#include "ops/nodes/test_node.h"

#include <cmath>

namespace tessera {
namespace {

constexpr ElementType i32 = ElementType::Int32;

/// A query of zeros attends all keys alike, so that the result is the mean of the values left.
TestNode heads(const Shape& keys = {1, 3, 1}) {
  return TestNode("MultiHeadAttention", 1, "com.microsoft")
      .input({1, 2, 1}, {0, 0})
      .input(keys, {5, 6, 7})
      .input(keys, {1, 10, 100})
      .attribute("num_heads", 1);
}

TEST(FusedAttentionNodes, AttendAllKeys) {
  heads().expect({1, 2, 1}, {37, 37});
  heads({1, 1, 3, 1}).expect({1, 2, 1}, {37, 37});
  heads().attribute("unidirectional", 1).expect({1, 2, 1}, {5.5, 37});
}

TEST(FusedAttentionNodes, AddBiasesToWhatIsAttended) {
  heads().input({3}, {0, 0, 1}).expect({1, 2, 1}, {38, 38});
  const double one = std::exp(5), two = std::exp(6), three = std::exp(7);
  const double mean = (one + 10 * two + 100 * three) / (one + two + three);
  heads().input({3}, {1, 0, 0}).attribute("scale", 1.0).expect({1, 2, 1}, {mean, mean});
}

TEST(FusedAttentionNodes, MaskKeys) {
  const auto masked = [](const Shape& shape, const std::vector<double>& mask) {
    return heads().absent_input().input(shape, mask, i32);
  };
  masked({1}, {2}).expect({1, 2, 1}, {5.5, 5.5});
  masked({2}, {3, 1}).expect({1, 2, 1}, {55, 55});
  masked({1, 3}, {1, 0, 1}).expect({1, 2, 1}, {50.5, 50.5});
  masked({1, 2, 3}, {1, 0, 0, 0, 1, 0}).expect({1, 2, 1}, {1, 10});
  EXPECT_EQ(masked({3}, {1, 1, 1}).refusal(), "a mask of shape [3] for 1 batches of 3 keys");
  heads()
      .absent_input()
      .absent_input()
      .input({1, 1, 2, 3}, {0, -1e9, -1e9, -1e9, 0, 0})
      .expect({1, 2, 1}, {1, 55});
}

TEST(FusedAttentionNodes, JoinThePast) {
  const TestNode node = heads()
                            .absent_input()
                            .absent_input()
                            .absent_input()
                            .input({1, 1, 1, 1}, {4})
                            .input({1, 1, 1, 1}, {1000})
                            .outputs(3);
  node.expect(0, {1, 2, 1}, {1111 / 4.0, 1111 / 4.0});
  node.expect(1, {1, 1, 4, 1}, {4, 5, 6, 7});
  node.expect(2, {1, 1, 4, 1}, {1000, 1, 10, 100});
}

TEST(FusedAttentionNodes, UnpackWhatStandsSideBySide) {
  const auto packed = [](const Shape& shape, const std::vector<double>& values) {
    return TestNode("MultiHeadAttention", 1, "com.microsoft")
        .input(shape, values)
        .attribute("num_heads", 1);
  };
  packed({1, 2, 1, 3, 1}, {0, 5, 10, 0, 6, 20}).expect({1, 2, 1}, {15, 15});
  packed({1, 1, 1}, {0}).input({1, 2, 1, 2, 1}, {5, 10, 6, 20}).expect({1, 1, 1}, {15});
  EXPECT_EQ(packed({1, 1, 1}, {0}).refusal(),
            "no keys, expected them in an input of their own or packed");
  EXPECT_EQ(packed({1, 1, 1}, {0}).input({1, 1, 1}, {0}).refusal(),
            "no values, expected them in an input of their own or packed");
  EXPECT_EQ(packed({}, {0}).input({}, {0}).refusal(), "queries without dimensions");
}

/// Queries are zero, keys the input, values ten times the input and a bias.
TestNode merged() {
  return TestNode("Attention", 1, "com.microsoft")
      .input({1, 2, 1}, {1, 3})
      .input({1, 3}, {0, 1, 10})
      .input({3}, {0, 0, 2})
      .attribute("num_heads", 1);
}

TEST(FusedAttentionNodes, SplitOneProduct) {
  merged().expect({1, 2, 1}, {22, 22});
  merged().attribute("unidirectional", 1).expect({1, 2, 1}, {12, 22});
  merged()
      .attribute("qkv_hidden_sizes", std::vector<std::int64_t>{1, 1, 1})
      .expect({1, 2, 1}, {22, 22});
  merged().input({1}, {1}, i32).expect({1, 2, 1}, {12, 12});
  EXPECT_EQ(merged().attribute("do_rotary", 1).refusal(), "do_rotary 1, expected 0");
  EXPECT_EQ(merged().attribute("qkv_hidden_sizes", std::vector<std::int64_t>{1, 1}).refusal(),
            "input [1, 2, 1] and weights [1, 3] for widths [1, 1]");
}

TEST(FusedAttentionNodes, JoinKeysAndValuesOfThePast) {
  const auto past = [](const Shape& shape) {
    return merged().absent_input().input(shape, {7, 62}).outputs(2);
  };
  past({2, 1, 1, 1, 1}).expect(0, {1, 2, 1}, {(62 + 12 + 32) / 3.0, (62 + 12 + 32) / 3.0});
  past({2, 1, 1, 1, 1}).expect(1, {2, 1, 1, 3, 1}, {7, 1, 3, 62, 12, 32});
  EXPECT_EQ(past({1, 2}).refusal(),
            "a past of shape [1, 2], expected [2, batch, heads, time, size]");
}

}  // namespace
}  // namespace tessera
