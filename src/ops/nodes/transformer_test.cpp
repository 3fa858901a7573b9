#include "ops/nodes/test_node.h"

#include <cmath>
#include <limits>

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;

/// Two queries and three keys of one head of size 1; with values 1, 10, 100.
TestNode attention() {
  return TestNode("Attention")
      .input({1, 1, 2, 1}, {0, 1})
      .input({1, 1, 3, 1}, {0, 1, 2})
      .input({1, 1, 3, 1}, {1, 10, 100});
}

/// The mean of 1, 10, 100 with the given scores; those of -inf count nothing.
double weighted(const std::vector<double>& scores) {
  double sum = 0, total = 0, value = 1;
  for (const double score : scores) {
    sum += std::exp(score);
    total += std::exp(score) * value;
    value *= 10;
  }
  return total / sum;
}

constexpr double never = -std::numeric_limits<double>::infinity();

TEST(TransformerNodes, AttendAllKeys) {
  attention().expect({1, 1, 2, 1}, {weighted({0, 0, 0}), weighted({0, 1, 2})});
  attention().attribute("scale", 0.5).expect({1, 1, 2, 1}, {37, weighted({0, 0.5, 1})});
  attention()
      .attribute("softcap", 2.0)
      .expect({1, 1, 2, 1}, {37, weighted({0, 2 * std::tanh(0.5), 2 * std::tanh(1)})});
}

TEST(TransformerNodes, AttendWhatMasksLeave) {
  attention().attribute("is_causal", 1).expect({1, 1, 2, 1}, {1, weighted({0, 1, never})});
  attention().input({2, 3}, {0, 1, 1, 1, 0, 0}, ElementType::Bool).expect({1, 1, 2, 1}, {55, 1});
  attention()
      .input({3}, {1, 2, 3})
      .expect({1, 1, 2, 1}, {weighted({1, 2, 3}), weighted({1, 3, 5})});
  attention()
      .input({2, 2}, {0, 1, 1, 1}, ElementType::Bool)
      .expect({1, 1, 2, 1}, {10, weighted({0, 1, never})});
  attention().input({2, 3}, {0, 0, 0, 1, 0, 0}, ElementType::Bool).expect({1, 1, 2, 1}, {0, 1});
}

TEST(TransformerNodes, AttendTheLengthOfACache) {
  const auto cache = [](double length) {
    return attention().absent_input().absent_input().absent_input().input({1}, {length}, i64);
  };
  cache(2).expect({1, 1, 2, 1}, {5.5, weighted({0, 1, never})});
  cache(2).attribute("is_causal", 1).expect({1, 1, 2, 1}, {1, weighted({0, 1, never})});
  EXPECT_EQ(cache(2).attribute("left_window_size", 1).refusal(),
            "a window and lengths, expected one of them");
}

TEST(TransformerNodes, AttendAWindow) {
  attention()
      .attribute("left_window_size", 0)
      .attribute("right_window_size", 1)
      .expect({1, 1, 2, 1}, {5.5, weighted({never, 1, 2})});
}

TEST(TransformerNodes, JoinThePast) {
  const TestNode node = attention()
                            .absent_input()
                            .input({1, 1, 1, 1}, {5})
                            .input({1, 1, 1, 1}, {7})
                            .attribute("is_causal", 1)
                            .attribute("scale", 0.0)
                            .outputs(3);
  node.expect(0, {1, 1, 2, 1}, {4, 6});
  node.expect(1, {1, 1, 4, 1}, {5, 0, 1, 2});
  node.expect(2, {1, 1, 4, 1}, {7, 1, 10, 100});
}

/// A graph of one node on `x` and a constant `y`.
Attribute changed_by(const std::string& op, double y) {
  Node node;
  node.name = node.op = op;
  node.version = 13;
  node.inputs = {"x", "y"};
  node.outputs = {"z"};
  Graph graph;
  graph.inputs = {{"x", {}}};
  graph.constants["y"] = ops::constant_of(ElementType::Float, {}, std::vector{y});
  graph.nodes = {node};
  graph.outputs = {"z"};
  return std::make_shared<const Graph>(std::move(graph));
}

TEST(TransformerNodes, ChangeScoresAndWeightsByGraphs) {
  const auto flexible = [] {
    return TestNode("FlexAttention", 1, "ai.onnx.preview")
        .input({1, 1, 2, 1}, {0, 1})
        .input({1, 1, 3, 1}, {0, 1, 2})
        .input({1, 1, 3, 1}, {1, 10, 100});
  };
  flexible().expect({1, 1, 2, 1}, {37, weighted({0, 1, 2})});
  flexible()
      .attribute("score_mod", changed_by("Mul", 2))
      .expect({1, 1, 2, 1}, {37, weighted({0, 2, 4})});
  flexible()
      .attribute("prob_mod", changed_by("Mul", 3))
      .expect({1, 1, 2, 1}, {3 * 37, 3 * weighted({0, 1, 2})});
  EXPECT_EQ(TestNode("FlexAttention", 1, "ai.onnx.preview")
                .input({1, 2, 1}, {0, 1})
                .input({1, 2, 1}, {0, 1})
                .input({1, 2, 1}, {0, 1})
                .refusal(),
            "input of shape [1, 2, 1], expected [batch, heads, time, size]");
}

TEST(TransformerNodes, ShareKeysAmongHeads) {
  TestNode("Attention")
      .input({1, 1, 4}, {0, 1, 2, 3})
      .input({1, 1, 2}, {1, 2})
      .input({1, 1, 2}, {5, 6})
      .attribute("q_num_heads", 4)
      .attribute("kv_num_heads", 2)
      .expect({1, 1, 4}, {5, 5, 6, 6});
}

TEST(TransformerNodes, GiveScoresOnTheWay) {
  const auto scores = [](std::int64_t mode) {
    return attention()
        .input({3}, {0, never, 0})
        .attribute("softcap", 2.0)
        .attribute("qk_matmul_output_mode", mode)
        .outputs(4);
  };
  const double one = 2 * std::tanh(0.5), two = 2 * std::tanh(1);
  scores(0).expect(3, {1, 1, 2, 3}, {0, 0, 0, 0, 1, 2});
  scores(1).expect(3, {1, 1, 2, 3}, {0, 0, 0, 0, one, two});
  scores(2).expect(3, {1, 1, 2, 3}, {0, never, 0, 0, never, two});
  scores(3).expect(3, {1, 1, 2, 3},
                   {0.5, 0, 0.5, 1 / (1 + std::exp(two)), 0, 1 / (1 + std::exp(-two))});
  EXPECT_EQ(scores(4).refusal(), "qk_matmul_output_mode 4, expected 0 to 3");
}

TEST(TransformerNodes, RefuseHeadsThatDoNotFit) {
  EXPECT_EQ(TestNode("Attention")
                .input({1, 1, 3}, {1, 2, 3})
                .input({1, 1, 3}, {1, 2, 3})
                .input({1, 1, 3}, {1, 2, 3})
                .attribute("q_num_heads", 2)
                .refusal(),
            "shape [1, 1, 3] for 2 heads, expected [batch, time, heads * size]");
  EXPECT_EQ(TestNode("Attention")
                .input({1, 1, 1, 2}, {1, 2})
                .input({1, 1, 1, 1}, {1})
                .input({1, 1, 1, 1}, {1})
                .refusal(),
            "queries [1, 1, 1, 2], keys [1, 1, 1, 1] and values [1, 1, 1, 1] as [batch, heads, "
            "time, size] do not fit together");
}

/// Angles 0 and a quarter turn at the places 0 and 1.
TestNode rotary(const Shape& shape, const std::vector<double>& x) {
  return TestNode("RotaryEmbedding")
      .input(shape, x)
      .input({2, 2}, {1, 1, 0, 0})
      .input({2, 2}, {0, 0, 1, 1});
}

TEST(TransformerNodes, RotatePairs) {
  rotary({1, 1, 2, 4}, {1, 2, 3, 4, 1, 2, 3, 4})
      .input({1, 2}, {0, 1}, i64)
      .expect({1, 1, 2, 4}, {1, 2, 3, 4, -3, -4, 1, 2});
  rotary({1, 1, 1, 4}, {1, 2, 3, 4})
      .input({1, 1}, {1}, i64)
      .attribute("interleaved", 1)
      .expect({1, 1, 1, 4}, {-2, 1, -4, 3});
  rotary({1, 1, 12}, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6})
      .input({1, 1}, {1}, i64)
      .attribute("num_heads", 2)
      .attribute("rotary_embedding_dim", 4)
      .expect({1, 1, 12}, {-3, -4, 1, 2, 5, 6, -3, -4, 1, 2, 5, 6});
}

TEST(TransformerNodes, RotateByAnglesOfEachPlace) {
  TestNode("RotaryEmbedding")
      .input({1, 1, 1, 2}, {1, 2})
      .input({1, 1, 1}, {0})
      .input({1, 1, 1}, {1})
      .expect({1, 1, 1, 2}, {-2, 1});
  EXPECT_EQ(rotary({1, 1, 1, 4}, {1, 2, 3, 4}).refusal(),
            "caches [2, 2] without positions, expected [1, 1, 2]");
  EXPECT_EQ(rotary({1, 1, 1, 2}, {1, 2}).refusal(), "caches [2, 2] and [2, 2] for 2 of 2 elements");
  EXPECT_EQ(rotary({1, 1, 3}, {1, 2, 3}).attribute("num_heads", 2).refusal(),
            "shape [1, 1, 3] for 2 heads, expected [batch, time, heads * size]");
  EXPECT_EQ(
      TestNode("RotaryEmbedding").input({1, 1, 2}, {1, 2}).input({}, {1}).input({}, {0}).refusal(),
      "shape [1, 1, 2] for 0 heads, expected [batch, time, heads * size]");
}

TEST(TransformerNodes, RotateAsOnnxruntimeDoes) {
  const auto ours = [](const Shape& shape, const std::vector<double>& positions) {
    return TestNode("RotaryEmbedding", 1, "com.microsoft")
        .input({1, 1, 4}, {1, 2, 3, 4})
        .input(shape, positions, i64)
        .input({2, 2}, {1, 1, 0, 0})
        .input({2, 2}, {0, 0, 1, 1});
  };
  ours({1, 1}, {1}).expect({1, 1, 4}, {-3, -4, 1, 2});
  ours({1}, {1}).expect({1, 1, 4}, {-3, -4, 1, 2});
  EXPECT_EQ(ours({1}, {1}).attribute("is_packed_batching", 1).refusal(),
            "is_packed_batching 1, expected 0");
}

}  // namespace
}  // namespace tessera
