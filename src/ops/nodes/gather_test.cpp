#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;

TEST(GatherNodes, Gather) {
  const auto gather = [] { return TestNode("Gather").input({2, 3}, {1, 2, 3, 4, 5, 6}); };
  gather().input({2}, {1, -2}, i64).expect({2, 3}, {4, 5, 6, 1, 2, 3});
  gather().input({2}, {2, 0}, ElementType::Int32).attribute("axis", 1).expect({2, 2}, {3, 1, 6, 4});
  gather().input({}, {-1}, i64).attribute("axis", 1).expect({2}, {3, 6});
  gather().input({1, 1}, {1}, i64).expect({1, 1, 3}, {4, 5, 6});
  EXPECT_EQ(gather().input({1}, {1}).refusal(), "Gather: expected i32 or i64 indices, got f32");
}

TEST(GatherNodes, GatherElements) {
  const auto gather = [] { return TestNode("GatherElements").input({2, 2}, {1, 2, 3, 4}); };
  gather().input({1, 2}, {1, 0}, i64).expect({1, 2}, {3, 2});
  gather()
      .input({2, 3}, {0, 1, -1, 0, 0, 1}, i64)
      .attribute("axis", 1)
      .expect({2, 3}, {1, 2, 2, 3, 3, 4});
  EXPECT_EQ(gather().input({1, 3}, {1, 0, 0}, i64).refusal(),
            "GatherElements \"node\": indices of shape [1, 3] in [2, 2] along dimension 0");
}

TEST(GatherNodes, GatherND) {
  const auto gather = [] {
    return TestNode("GatherND").input({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  };
  gather().input({2, 2}, {0, 1, 1, -2}, i64).expect({2, 2}, {2, 3, 4, 5});
  gather().input({2, 1}, {1, 0}, i64).attribute("batch_dims", 1).expect({2, 2}, {2, 3, 4, 5});
  EXPECT_EQ(gather().input({1, 4}, {0, 0, 0, 0}, i64).refusal(),
            "GatherND \"node\": indices of shape [1, 4] in [2, 2, 2], expected equal batches and "
            "places of at most 3 dimensions");
  EXPECT_EQ(gather().input({1}, {0}, i64).attribute("batch_dims", 1).refusal(),
            "GatherND \"node\": indices of shape [1] in [2, 2, 2], expected integers with a last "
            "dimension after 1 batches");
}

TEST(GatherNodes, OneHot) {
  const auto one_hot = [] {
    return TestNode("OneHot").input({2}, {1, -1}, i64).input({}, {3}, i64).input({2}, {2, 5});
  };
  one_hot().expect({2, 3}, {2, 5, 2, 2, 2, 5});
  one_hot().attribute("axis", 0).expect({3, 2}, {2, 2, 5, 2, 2, 5});
  EXPECT_EQ(
      TestNode("OneHot").input({1}, {0}, i64).input({}, {0}, i64).input({2}, {0, 1}).refusal(),
      "OneHot \"node\": expected a depth of at least 1 and two values");
}

TEST(GatherNodes, ReverseSequence) {
  TestNode("ReverseSequence")
      .input({3, 2}, {0, 1, 2, 3, 4, 5})
      .input({2}, {3, 2}, i64)
      .expect({3, 2}, {4, 3, 2, 1, 0, 5});
  TestNode("ReverseSequence")
      .input({2, 3}, {0, 1, 2, 3, 4, 5})
      .input({2}, {1, 2}, i64)
      .attribute("time_axis", 1)
      .attribute("batch_axis", 0)
      .expect({2, 3}, {0, 1, 2, 4, 3, 5});
  EXPECT_EQ(TestNode("ReverseSequence").input({2, 2}, {0, 1, 2, 3}).input({1}, {1}, i64).refusal(),
            "ReverseSequence \"node\": lengths of shape [1] for sequences [2, 2]");
}

}  // namespace
}  // namespace tessera
