#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

TEST(FeatureNodes, CompareWithAThreshold) {
  TestNode("Binarizer", 1, "ai.onnx.ml")
      .input({3}, {-1, 0.5, 2})
      .attribute("threshold", 0.5)
      .expect({3}, {0, 0, 1});
}

TEST(FeatureNodes, PickColumns) {
  const auto picked = [](const Shape& shape) {
    return TestNode("ArrayFeatureExtractor", 1, "ai.onnx.ml")
        .input(shape, {1, 2, 3, 4})
        .input({1, 2}, {1, 0}, ElementType::Int64);
  };
  picked({2, 2}).expect({2, 2}, {2, 1, 4, 3});
  picked({4}).expect({1, 2}, {2, 1});
}

}  // namespace
}  // namespace tessera
