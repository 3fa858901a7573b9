#include "ops/nodes/nodes.h"

/// Operators of ONNX's domain of classical machine learning that are tensor operators.
namespace tessera::ops {
namespace {

/// One where an element is above the threshold, else zero.
void binarizer(Expansion& e) {
  const ElementType element = e.type(0).element;
  const ValueId threshold = e.constant(element, {}, {e.view().real("threshold", 0)});
  e.output(e.add("Cast", {e.add("Greater", {e.input(0), threshold})},
                 {{"to", static_cast<std::int64_t>(element)}}));
}

/// Columns of the last dimension; those of a list are one row.
void array_feature_extractor(Expansion& e) {
  const ValueId columns = e.add("Reshape", {e.input(1), e.integers({-1})});
  const ValueId rows =
      e.shape(0).size() == 1 ? e.add("Unsqueeze", {e.input(0), e.integers({0})}) : e.input(0);
  e.output(e.add("Gather", {rows, columns}, {{"axis", -1}}));
}

constexpr Op list[] = {
    {"ai.onnx.ml", "ArrayFeatureExtractor", array_feature_extractor, 2},
    {"ai.onnx.ml", "Binarizer", binarizer},
};

}  // namespace

std::span<const Op> feature_nodes() { return list; }

}  // namespace tessera::ops
