#include "ops/nodes/nodes.h"

/// Normalisations of sums, as transformers of com.microsoft have them.
namespace tessera::ops {
namespace {

/// Outputs: the normalisation and, where the node gives them, the mean, which an RMS normalisation
/// has not, and the inverse deviation.
void add_normalized(Expansion& e, std::string_view op, std::vector<ValueId> inputs) {
  const auto is_wanted = [&](std::size_t n) {
    return n < e.node().outputs.size() && !e.node().outputs[n].empty();
  };
  const bool has_mean = op == "LayerNormalization";
  if (is_wanted(1) && !has_mean) return e.refuse("output 1 is a mean, which is not computed");
  const bool has_statistics = is_wanted(1) || is_wanted(2);
  const std::vector<ValueId> given = e.add_many(
      op, std::move(inputs),
      !has_statistics ? 1
      : has_mean      ? 3
                      : 2,
      {{"epsilon", e.view().real("epsilon", has_mean ? 1e-12 : 1e-6)}, {"axis", std::int64_t{-1}}});
  e.output(given[0]);
  e.output(given.size() == 3 ? given[1] : ValueId());
  e.output(given.size() > 1 ? given.back() : ValueId());
}

ValueId sum_of_inputs(Expansion& e, std::size_t bias) {
  ValueId sum = e.add("Add", {e.input(0), e.input(1)});
  return e.has_input(bias) ? e.add("Add", {sum, e.input(bias)}) : sum;
}

/// Inputs: x, skip, gamma, beta, bias.
void skip_layer_norm(Expansion& e) {
  const ValueId sum = sum_of_inputs(e, 4);
  std::vector<ValueId> inputs = {sum, e.input(2)};
  if (e.has_input(3)) inputs.push_back(e.input(3));
  add_normalized(e, "LayerNormalization", std::move(inputs));
  e.output(sum);
}

/// Inputs: x, skip, gamma, bias.
void skip_rms_norm(Expansion& e) {
  const ValueId sum = sum_of_inputs(e, 3);
  add_normalized(e, "SimplifiedLayerNormalization", {sum, e.input(2)});
  e.output(sum);
}

/// The first rows of the position table, or those that are asked for.
ValueId positions(Expansion& e, std::int64_t length) {
  if (e.has_input(8)) return e.add("Gather", {e.input(3), e.input(8)});
  return e.add("Slice", {e.input(3), e.integers({0}), e.integers({length}), e.integers({0})});
}

/// Inputs: words and segments [batch, length]; the tables of words, positions and segments; gamma,
/// beta; mask; position indices. Gives the embedding, the count of words that the mask keeps, and
/// the sum before it is normalised.
void embed_layer_norm(Expansion& e) {
  if (e.shape(0).size() != 2) return e.refuse("expected word indices of rank 2");
  const std::int64_t length = e.shape(0)[1];
  ValueId sum = e.add("Gather", {e.input(2), e.input(0)});
  sum = e.add("Add", {sum, positions(e, length)});
  if (e.has_input(1) && e.has_input(4))
    sum = e.add("Add", {sum, e.add("Gather", {e.input(4), e.input(1)})});
  e.output(e.add("LayerNormalization", {sum, e.input(5), e.input(6)},
                 {{"epsilon", e.view().real("epsilon", 1e-12)}, {"axis", std::int64_t{-1}}}));
  const std::vector<double> none(static_cast<std::size_t>(e.shape(0)[0]), 0);
  e.output(e.has_input(7)
               ? e.add("ReduceSum", {e.input(7), e.integers({1})}, {{"keepdims", std::int64_t{0}}})
               : e.constant(ElementType::Int32, {e.shape(0)[0]}, none));
  e.output(sum);
}

constexpr Op list[] = {
    {"com.microsoft", "EmbedLayerNormalization", embed_layer_norm},
    {"com.microsoft", "SkipLayerNormalization", skip_layer_norm, 3},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", skip_rms_norm, 3},
};

}  // namespace

std::span<const Op> skip_norm_nodes() { return list; }

}  // namespace tessera::ops
