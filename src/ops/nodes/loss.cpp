#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/nodes/nodes.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

/// Scores are [N, C, ..], classes [N, ..], weights [C].
Result<void> check_shapes(const Definition& d) {
  Shape expected = d.shape(0);
  if (expected.size() < 2) return Error{"scores " + to_text(expected) + "; expected [N, C, ..]"};
  const std::int64_t classes = expected[1];
  expected.erase(expected.begin() + 1);
  if (d.shape(1) != expected)
    return Error{"classes " + to_text(d.shape(1)) + ", expected " + to_text(expected)};
  if (d.has_input(2) && d.shape(2) != Shape{classes})
    return Error{"weights " + to_text(d.shape(2)) + " for " + std::to_string(classes) + " classes"};
  if (!is_float(dtype_of(d.type(0).element)) || is_float(dtype_of(d.type(1).element)))
    return Error{"expected real scores and integer classes"};
  return {};
}

/// loss = -weight[class] * score[class], or zero where the class is ignored; `mean` divides the sum
/// by that of the weights.
void negative_log_likelihood(Definition& d) {
  if (const Result<void> fits = check_shapes(d); !fits) return d.refuse(fits.error().message);
  const std::string reduction = d.text("reduction", "mean");
  if (reduction != "none" && reduction != "mean" && reduction != "sum")
    return d.refuse("reduction is \"" + reduction + "\", expected none, mean or sum");

  const std::vector<Axis> axes = d.b.axes(d.input(1));
  const Expr wanted = cast(DType::I64, d.b.read(d.input(1), indices_of(axes)));
  const Expr found = min(max(wanted, 0), d.shape(0)[1] - 1);
  const Expr is_ignored = d.has_attribute("ignore_index")
                              ? binary(BinaryOp::Equal, wanted, d.integer("ignore_index", 0))
                              : boolean(false);
  const TensorId weight = d.b.stage(
      "weight", axes,
      select(is_ignored, real(0), d.has_input(2) ? d.b.read(d.input(2), {found}) : real(1)));
  std::vector<Expr> at = indices_of(axes);
  at.insert(at.begin() + 1, found);
  const Expr loss =
      unary(UnaryOp::Neg, d.b.read(weight, indices_of(axes)) * d.b.read(d.input(0), at));
  const TensorId each = d.b.stage("each", axes, select(is_ignored, real(0), loss));
  if (reduction == "none") return d.output(each);
  const TensorId sum = reduce(d.b, Reduction::Sum, each, {}, "sum");
  if (reduction == "sum") return d.output(sum);
  d.output(div(d.b, sum, reduce(d.b, Reduction::Sum, weight, {}, "weights"), d.node().op));
}

/// The loss of logarithms of softmax, which are the second output.
void softmax_cross_entropy(Expansion& e) {
  const ValueId logs = e.add("LogSoftmax", {e.input(0)}, {{"axis", std::int64_t{1}}});
  std::vector<ValueId> inputs = {logs, e.input(1)};
  if (e.has_input(2)) inputs.push_back(e.input(2));
  e.output(e.add("NegativeLogLikelihoodLoss", std::move(inputs), e.node().attributes));
  e.output(logs);
}

constexpr Op list[] = {
    {"", "NegativeLogLikelihoodLoss", negative_log_likelihood, 2},
    {"", "SoftmaxCrossEntropyLoss", softmax_cross_entropy, 2},
};

}  // namespace

std::span<const Op> loss_nodes() { return list; }

}  // namespace tessera::ops
