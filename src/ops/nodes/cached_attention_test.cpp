#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

constexpr ElementType i32 = ElementType::Int32;
using Numbers = std::vector<double>;

/// Queries of zeros attend keys up to their own alike; two heads share one of keys and values.
TestNode grouped(const Numbers& keys, const Numbers& values) {
  const auto time = static_cast<std::int64_t>(keys.size());
  return TestNode("GroupQueryAttention", 1, "com.microsoft")
      .input({1, time, 2}, Numbers(2 * keys.size(), 0))
      .input({1, time, 1}, keys)
      .input({1, time, 1}, values)
      .attribute("num_heads", 2)
      .attribute("kv_num_heads", 1)
      .outputs(3);
}

TestNode with_past(TestNode node, const Numbers& keys, const Numbers& values) {
  const auto time = static_cast<std::int64_t>(keys.size());
  return node.input({1, 1, time, 1}, keys).input({1, 1, time, 1}, values);
}

TestNode prompt() { return grouped({5, 6}, {1, 10}).absent_input().absent_input(); }

TEST(CachedAttentionNodes, AttendAPrompt) {
  const TestNode node = prompt().input({1}, {1}, i32).input({}, {2}, i32);
  node.expect(0, {1, 2, 2}, {1, 1, 5.5, 5.5});
  node.expect(1, {1, 1, 2, 1}, {5, 6});
  node.expect(2, {1, 1, 2, 1}, {1, 10});
}

TEST(CachedAttentionNodes, AppendToThePast) {
  const TestNode node =
      with_past(grouped({7}, {100}), {5, 6}, {1, 10}).input({1}, {2}, i32).input({}, {3}, i32);
  node.expect(0, {1, 1, 2}, {37, 37});
  node.expect(1, {1, 1, 3, 1}, {5, 6, 7});
  with_past(grouped({7}, {100}), {5, 6}, {1, 10})
      .input({1}, {2}, i32)
      .input({}, {3}, i32)
      .attribute("local_window_size", 2)
      .expect(0, {1, 1, 2}, {55, 55});
}

TEST(CachedAttentionNodes, WriteIntoAPastThatHasRoom) {
  const TestNode node = with_past(grouped({7}, {100}), {5, 6, -1, -1}, {1, 10, -1, -1})
                            .input({1}, {2}, i32)
                            .input({}, {3}, i32);
  node.expect(0, {1, 1, 2}, {37, 37});
  node.expect(1, {1, 1, 4, 1}, {5, 6, 7, -1});
  with_past(grouped({7}, {100}), {-1, -1}, {-1, -1})
      .input({1}, {0}, i32)
      .input({}, {1}, i32)
      .expect(2, {1, 1, 2, 1}, {100, -1});
}

TEST(CachedAttentionNodes, UnpackHeads) {
  TestNode("GroupQueryAttention", 1, "com.microsoft")
      .input({1, 1, 4}, {0, 0, 5, 9})
      .absent_input()
      .absent_input()
      .absent_input()
      .absent_input()
      .input({1}, {0}, i32)
      .input({}, {1}, i32)
      .attribute("num_heads", 2)
      .attribute("kv_num_heads", 1)
      .expect({1, 1, 2}, {9, 9});
}

TEST(CachedAttentionNodes, RotateByThePlaceInTime) {
  const auto rotating = [](const Shape& past, double last) {
    TestNode node("GroupQueryAttention", 1, "com.microsoft");
    node.input({1, 1, 2}, {0, 0}).input({1, 1, 2}, {1, 2}).input({1, 1, 2}, {3, 4});
    for (int n = 0; n < 2; ++n) past.empty() ? node.absent_input() : node.input(past, {8, 9});
    return node.input({1}, {last}, i32)
        .input({}, {last + 1}, i32)
        .input({2, 1}, {1, 0})
        .input({2, 1}, {0, 1})
        .attribute("num_heads", 1)
        .attribute("kv_num_heads", 1)
        .attribute("do_rotary", 1)
        .outputs(3);
  };
  rotating({}, 0).expect(1, {1, 1, 1, 2}, {1, 2});
  rotating({1, 1, 1, 2}, 1).expect(1, {1, 1, 2, 2}, {8, 9, -2, 1});
}

TEST(CachedAttentionNodes, RefuseWhatDoesNotFit) {
  EXPECT_EQ(prompt().input({1}, {1}, i32).unknown_input({}, i32).refusal(),
            "its total sequence length is known only when the network runs");
  EXPECT_EQ(prompt().input({1}, {0}, i32).input({}, {1}, i32).refusal(),
            "expected a total sequence length of at least 2 and the last key of each batch");
  EXPECT_EQ(prompt().input({1}, {1}, i32).input({}, {2}, i32).attribute("do_rotary", 1).refusal(),
            "do_rotary 1, expected caches [times, half of the rotated size]");
  EXPECT_EQ(
      prompt().input({1}, {1}, i32).input({}, {2}, i32).attribute("smooth_softmax", 1).refusal(),
      "head sinks or a smooth softmax, expected neither");
  EXPECT_EQ(prompt().input({1}, {1}, i32).input({}, {2}, i32).attribute("num_heads", 0).refusal(),
            "expected num_heads and kv_num_heads");
  EXPECT_EQ(
      with_past(grouped({7}, {100}), {5}, {1}).input({1}, {4}, i32).input({}, {5}, i32).refusal(),
      "a past of 1 and 1 new keys, expected 5");
  EXPECT_EQ(grouped({7}, {100})
                .input({1, 1}, {1})
                .input({1, 1}, {1})
                .input({1}, {1}, i32)
                .input({}, {2}, i32)
                .refusal(),
            "a past of shape [1, 1] for [1, 1, 1, 1]");
}

}  // namespace
}  // namespace tessera
