#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;

TestNode elements(const std::string& reduction) {
  return TestNode("ScatterElements")
      .input({2, 3}, {1, 2, 3, 4, 5, 6})
      .input({2, 2}, {1, -1, 1, 1}, i64)
      .input({2, 2}, {10, 20, 30, 40})
      .attribute("axis", 1)
      .attribute("reduction", reduction);
}

TEST(ScatterNodes, WriteElementsAlongADimension) {
  elements("none").expect({2, 3}, {1, 10, 20, 4, 40, 6});
  elements("add").expect({2, 3}, {1, 12, 23, 4, 75, 6});
  elements("mul").expect({2, 3}, {1, 20, 60, 4, 6000, 6});
  elements("max").expect({2, 3}, {1, 10, 20, 4, 40, 6});
  elements("min").expect({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(elements("mean").refusal(),
            "ScatterElements \"node\": reduction mean, expected none, add, mul, max or min");
}

TEST(ScatterNodes, LeaveWhatNoIndexCovers) {
  TestNode("Scatter", 9)
      .input({2, 2}, {1, 2, 3, 4})
      .input({1, 1}, {1}, i64)
      .input({1, 1}, {9})
      .expect({2, 2}, {1, 2, 9, 4});
  EXPECT_EQ(TestNode("ScatterElements")
                .input({2}, {1, 2})
                .input({1}, {0}, i64)
                .input({2}, {1, 2})
                .refusal(),
            "ScatterElements \"node\": indices of shape [1] and updates of shape [2] into [2]");
}

/// ScatterND with indices known here, and its own node for those that are not.
void expect_nd(const std::string& reduction, const std::vector<double>& values) {
  for (const char* domain : {"", "tessera"}) {
    if (*domain == 0 && reduction != "none") continue;  // needs Where, Add and reductions
    TestNode("ScatterND", 18, domain)
        .input({3, 2}, {1, 2, 3, 4, 5, 6})
        .input({3, 1}, {2, 0, -1}, i64)
        .input({3, 2}, {10, 20, 30, 40, 50, 60})
        .attribute("reduction", reduction)
        .expect({3, 2}, values);
  }
}

TEST(ScatterNodes, WriteRows) {
  expect_nd("none", {30, 40, 3, 4, 50, 60});
  expect_nd("add", {31, 42, 3, 4, 65, 86});
  expect_nd("mul", {30, 80, 3, 4, 2500, 7200});
  expect_nd("max", {30, 40, 3, 4, 50, 60});
  expect_nd("min", {1, 2, 3, 4, 5, 6});
}

TEST(ScatterNodes, WriteSingleElements) {
  for (const char* domain : {"", "tessera"})
    TestNode("ScatterND", 18, domain)
        .input({2, 2}, {1, 2, 3, 4})
        .input({1, 2, 2}, {0, 1, 1, 0}, i64)
        .input({1, 2}, {7, 8})
        .expect({2, 2}, {1, 7, 8, 4});
}

TEST(ScatterNodes, RefuseUpdatesThatDoNotFit) {
  EXPECT_EQ(
      TestNode("ScatterND").input({2}, {1, 2}).input({1, 1}, {0}, i64).input({2}, {1, 2}).refusal(),
      "indices of shape [1, 1] and updates of shape [2] into [2]");
  EXPECT_EQ(TestNode("ScatterND")
                .input({2}, {1, 2})
                .input({1, 1}, {0}, i64)
                .input({1}, {1})
                .attribute("reduction", std::string("mean"))
                .refusal(),
            "reduction mean, expected none, add, mul, max or min");
}

TEST(ScatterNodes, RefuseTypesThatDoNotFit) {
  for (const std::string op : {"ScatterElements", "ScatterND"})
    EXPECT_NE(TestNode(op)
                  .input({2}, {1, 2}, ElementType::UInt64)
                  .input(op == "ScatterND" ? Shape{1, 1} : Shape{1}, {0}, ElementType::Int64)
                  .input({1}, {3}, ElementType::UInt64)
                  .attribute("reduction", std::string("max"))
                  .refusal()
                  .find("a reduction max of uint64"),
              std::string::npos);
  for (const char* op : {"ScatterND", "ScatterElements"}) {
    const auto scatter = [&](ElementType indices, ElementType updates) {
      return TestNode(op)
          .input({1, 1}, {1})
          .input({1, 1}, {0}, indices)
          .input({1, 1}, {1}, updates);
    };
    EXPECT_NE(scatter(ElementType::Float, ElementType::Float)
                  .refusal()
                  .find("indices are float, expected integers"),
              std::string::npos);
    EXPECT_NE(scatter(i64, i64).refusal().find("dtypes f32 and i64 differ"), std::string::npos);
  }
}

TEST(ScatterNodes, WriteIntoACache) {
  const auto cache = [](const char* mode) {
    return TestNode("TensorScatter", 24)
        .input({2, 3, 1}, {1, 2, 3, 4, 5, 6})
        .input({2, 2, 1}, {10, 20, 30, 40})
        .input({2}, {1, 2}, i64)
        .attribute("mode", std::string(mode));
  };
  cache("linear").expect({2, 3, 1}, {1, 10, 20, 4, 5, 30});
  cache("circular").expect({2, 3, 1}, {1, 10, 20, 40, 5, 30});
  EXPECT_EQ(
      TestNode("TensorScatter").input({1, 2, 1}, {1, 2}).input({1, 2, 2}, {1, 2, 3, 4}).refusal(),
      "TensorScatter \"node\": an update of shape [1, 2, 2] for a cache of shape [1, 2, 1] "
      "along dimension 1");
  EXPECT_EQ(
      TestNode("TensorScatter").input({1, 2, 1}, {1, 2}).input({1, 2, 1}, {1, 2}, i64).refusal(),
      "TensorScatter \"node\": an update of int64[1, 2, 1] for a cache of float[1, 2, 1]");
}

}  // namespace
}  // namespace tessera
