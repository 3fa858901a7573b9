#include "extract/passes.h"
#include "extract/rewriter.h"

#include <cmath>

namespace tessera {
namespace {

/// A mean over the last dimension that keeps it.
bool is_last_mean(const Rewriter& rewriter, const Node& mean) {
  const std::size_t rank = rewriter.shape(mean.inputs[0]).size();
  return rank > 0 && rewriter.shape(mean.outputs[0]).size() == rank &&
         rewriter.shape(mean.outputs[0]).back() == 1 &&
         element_count(rewriter.shape(mean.outputs[0])) * rewriter.shape(mean.inputs[0]).back() ==
             element_count(rewriter.shape(mean.inputs[0]));
}

const Node* last_mean(const Rewriter& rewriter, const ValueId& value) {
  const Node* mean = rewriter.maker(value, {"ReduceMean"});
  return mean != nullptr && is_last_mean(rewriter, *mean) ? mean : nullptr;
}

/// What `value` is the square of.
std::optional<ValueId> root_of_square(const Rewriter& rewriter, const ValueId& value) {
  if (const Node* power = rewriter.maker(value, {"Pow"}))
    if (rewriter.scalar(power->inputs[1]) == 2.0) return power->inputs[0];
  if (const Node* product = rewriter.maker(value, {"Mul"}))
    if (product->inputs[0] == product->inputs[1]) return product->inputs[0];
  return std::nullopt;
}

/// x and epsilon of `sqrt(mean(x^2) + epsilon)`.
struct RootMeanSquare {
  ValueId x;
  double epsilon = 0;
};

std::optional<RootMeanSquare> root_mean_square(const Rewriter& rewriter, const ValueId& value) {
  const Node* root = rewriter.maker(value, {"Sqrt"});
  const Node* sum = root == nullptr ? nullptr : rewriter.maker(root->inputs[0], {"Add"});
  if (sum == nullptr) return std::nullopt;
  for (const std::size_t at : {0U, 1U}) {
    const auto epsilon = rewriter.scalar(sum->inputs[1 - at]);
    const Node* mean = last_mean(rewriter, sum->inputs[at]);
    if (!epsilon || mean == nullptr) continue;
    if (const auto x = root_of_square(rewriter, mean->inputs[0]))
      return RootMeanSquare{*x, *epsilon};
  }
  return std::nullopt;
}

/// x and epsilon of `x / sqrt(mean(x^2) + epsilon)`, also as a product with the reciprocal.
std::optional<RootMeanSquare> normalised(const Rewriter& rewriter, const ValueId& value) {
  if (const Node* quotient = rewriter.maker(value, {"Div"}))
    if (auto rms = root_mean_square(rewriter, quotient->inputs[1]);
        rms && rms->x == quotient->inputs[0])
      return rms;
  if (const Node* product = rewriter.maker(value, {"Mul"}))
    for (const std::size_t at : {0U, 1U}) {
      const Node* inverse = rewriter.maker(product->inputs[at], {"Reciprocal", "Div"});
      if (inverse == nullptr) continue;
      const bool is_quotient = inverse->op == "Div";
      if (is_quotient && rewriter.scalar(inverse->inputs[0]) != 1.0) continue;
      auto rms = root_mean_square(rewriter, inverse->inputs[is_quotient ? 1 : 0]);
      if (rms && rms->x == product->inputs[1 - at]) return rms;
    }
  return std::nullopt;
}

/// x of `x - mean(x)`.
std::optional<ValueId> centred(const Rewriter& rewriter, const ValueId& value) {
  const Node* difference = rewriter.maker(value, {"Sub"});
  if (difference == nullptr) return std::nullopt;
  const Node* mean = last_mean(rewriter, difference->inputs[1]);
  if (mean == nullptr || mean->inputs[0] != difference->inputs[0]) return std::nullopt;
  return difference->inputs[0];
}

/// The constant vector that one side of a product or sum is, and the other side.
struct Weighted {
  ValueId value, weights;
};
std::optional<Weighted> weighted(const Rewriter& rewriter, const Node& node, std::int64_t width) {
  for (const std::size_t at : {0U, 1U})
    if (const Constant* constant = rewriter.constant(node.inputs[at]);
        constant != nullptr && constant->type.shape == Shape{width})
      return Weighted{node.inputs[1 - at], node.inputs[at]};
  return std::nullopt;
}

Node norm_node(std::string op, const Node& like, std::vector<ValueId> inputs, double epsilon) {
  return {.name = like.name,
          .domain = "",
          .op = std::move(op),
          .version = 23,
          .inputs = std::move(inputs),
          .outputs = like.outputs,
          .attributes = {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}}};
}

}  // namespace

void recover_norms(Graph& graph) {
  Rewriter rewriter(graph);
  std::vector<Node> norms;
  for (const Node& node : graph.nodes) {
    if (!node.domain.empty() || node.op != "Mul") continue;
    const std::int64_t width =
        rewriter.shape(node.outputs[0]).empty() ? 0 : rewriter.shape(node.outputs[0]).back();
    const auto scaled = weighted(rewriter, node, width);
    const auto rms = scaled ? normalised(rewriter, scaled->value) : std::nullopt;
    if (!rms) continue;
    const auto x = centred(rewriter, rms->x);
    if (!x) {
      norms.push_back(norm_node("RMSNormalization", node, {rms->x, scaled->weights}, rms->epsilon));
      continue;
    }
    const std::vector<const Node*> readers = rewriter.readers(node.outputs[0]);
    const Node* sum = readers.size() == 1 && readers[0]->op == "Add" ? readers[0] : nullptr;
    const auto shifted = sum == nullptr ? std::nullopt : weighted(rewriter, *sum, width);
    if (shifted && rewriter.has_one_reader(node.outputs[0]))
      norms.push_back(norm_node("LayerNormalization", *sum, {*x, scaled->weights, shifted->weights},
                                rms->epsilon));
    else
      norms.push_back(norm_node("LayerNormalization", node, {*x, scaled->weights}, rms->epsilon));
  }
  for (Node& norm : norms) rewriter.replace(std::move(norm));
  rewriter.finish();
}

}  // namespace tessera
