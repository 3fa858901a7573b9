#include "ops/norm.h"

#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/nodes/nodes.h"
#include "ops/rearrange.h"
#include "ops/reduce.h"
#include "ops/shape.h"

#include <array>

namespace tessera::ops {
namespace {

void batch_normalization(Definition& d) {
  if (d.integer("training_mode", 0) != 0)
    return d.refuse("training_mode is 1, expected a network that is trained");
  if (d.version() < 9 && d.integer("spatial", 1) == 0)
    return d.refuse("spatial is 0, expected statistics per channel");
  d.output(batch_norm(d.b, d.input(0),
                      {.scale = d.input(1),
                       .bias = d.input(2),
                       .mean = d.input(3),
                       .variance = d.input(4),
                       .epsilon = d.real("epsilon", 1e-5)},
                      d.node().op));
}

/// A vector as a tensor of `rank` whose first dimensions are `leading`, the others one.
TensorId spread(const Definition& d, std::size_t input, Shape leading, std::size_t rank) {
  if (element_count(d.shape(input)) != element_count(leading))
    return d.b.refuse(d.node().title(), "input " + std::to_string(input) + " has shape " +
                                            to_text(d.shape(input)) + ", expected " +
                                            std::to_string(element_count(leading)) + " elements");
  leading.resize(rank, 1);
  return reshape(d.b, d.input(input), leading);
}

void instance_normalization(Definition& d) {
  const Shape& shape = d.shape(0);
  if (shape.size() < 3) return d.refuse("shape " + to_text(shape) + "; expected rank 3 or more");
  const std::size_t rank = shape.size() - 1;
  d.output(layer_norm(d.b, d.input(0), spread(d, 1, {shape[1]}, rank),
                      spread(d, 2, {shape[1]}, rank),
                      {.first_dim = 2, .epsilon = d.real("epsilon", 1e-5)}, d.node().op));
}

/// x [N, C, ..] as [N, groups, C/groups, ..]. Scale and bias belong to groups before version 21 and
/// to channels from then on.
void group_normalization(Definition& d) {
  const Shape& shape = d.shape(0);
  const std::int64_t groups = d.integer("num_groups", 0);
  if (shape.size() < 2 || groups < 1 || shape[1] % groups != 0)
    return d.refuse("num_groups is " + std::to_string(groups) + " for shape " + to_text(shape) +
                    ", expected a divisor of the channels");
  Shape grouped = shape;
  grouped[1] /= groups;
  grouped.insert(grouped.begin() + 1, groups);
  const Shape owners = d.version() < 21 ? Shape{groups} : Shape{groups, grouped[2]};
  const TensorId normed =
      layer_norm(d.b, reshape(d.b, d.input(0), grouped), spread(d, 1, owners, shape.size()),
                 spread(d, 2, owners, shape.size()),
                 {.first_dim = 2, .epsilon = d.real("epsilon", 1e-5)}, "normed");
  d.output(reshape(d.b, normed, shape, d.node().op));
}

/// The dimensions from `first_dim`, which is sound, on.
ReduceOptions normalised_dims(const Definition& d, std::int64_t first_dim) {
  ReduceOptions over{.dims = {}, .keeps_dims = true};
  const auto rank = static_cast<std::int64_t>(d.shape(0).size());
  for (std::int64_t n = first_dim < 0 ? first_dim + rank : first_dim; n < rank; ++n)
    over.dims.push_back(n);
  return over;
}

/// 1 / sqrt(mean of squares + epsilon).
TensorId inverse_deviation(const Definition& d, const TensorId& centred, const ReduceOptions& over,
                           double epsilon) {
  const TensorId squares = mul(d.b, centred, centred, "squares");
  const TensorId variance = reduce(d.b, Reduction::Mean, squares, over, "variance");
  return map(
      d.b, variance, [&](const Expr& e) { return unary(UnaryOp::Rsqrt, e + real(epsilon)); },
      "inverse_deviation");
}

void layer_normalization(Definition& d) {
  const NormOptions options{.first_dim = d.integer("axis", -1), .epsilon = d.real("epsilon", 1e-5)};
  d.output(layer_norm(d.b, d.input(0), d.input(1),
                      d.has_input(2) ? std::optional(d.input(2)) : std::nullopt, options,
                      d.node().op));
  if (d.node().outputs.size() < 2 || d.b.refusal()) return;
  const ReduceOptions over = normalised_dims(d, options.first_dim);
  const TensorId mean = reduce(d.b, Reduction::Mean, d.input(0), over, "mean");
  d.output(mean);
  d.output(inverse_deviation(d, sub(d.b, d.input(0), mean, "centred"), over, options.epsilon));
}

void rms_normalization(Definition& d) {
  const NormOptions options{.first_dim = d.integer("axis", -1), .epsilon = d.real("epsilon", 1e-5)};
  d.output(rms_norm(d.b, d.input(0), d.input(1), options, d.node().op));
  if (d.node().outputs.size() < 2 || d.b.refusal()) return;
  d.output(
      inverse_deviation(d, d.input(0), normalised_dims(d, options.first_dim), options.epsilon));
}

/// x / norm along an axis; where the norm is zero, so is the result.
void lp_normalization(Definition& d) {
  const std::int64_t p = d.integer("p", 2);
  if (p != 1 && p != 2) return d.refuse("p is " + std::to_string(p) + ", expected 1 or 2");
  const TensorId norm = reduce(d.b, p == 1 ? Reduction::L1 : Reduction::L2, d.input(0),
                               {.dims = {d.integer("axis", -1)}, .keeps_dims = true}, "norm");
  d.output(elementwise(
      d.b, std::array{d.input(0), norm},
      [](std::span<const Expr> e) {
        return select(binary(BinaryOp::Equal, e[1], real(0)), real(0), e[0] / e[1]);
      },
      d.node().op));
}

/// (x - mean) / (deviation + 1e-9).
void mean_variance_normalization(Definition& d) {
  const ReduceOptions over{.dims = d.integers("axes", {0, 2, 3}), .keeps_dims = true};
  const TensorId mean = reduce(d.b, Reduction::Mean, d.input(0), over, "mean");
  const TensorId centred = sub(d.b, d.input(0), mean, "centred");
  const TensorId squares = mul(d.b, centred, centred, "squares");
  const TensorId variance = reduce(d.b, Reduction::Mean, squares, over, "variance");
  d.output(elementwise(
      d.b, std::array{centred, variance},
      [](std::span<const Expr> e) { return e[0] / (unary(UnaryOp::Sqrt, e[1]) + real(1e-9)); },
      d.node().op));
}

/// x / (bias + alpha/size * sum of squares over `size` neighbouring channels) ^ beta.
void local_response_normalization(Definition& d) {
  const std::int64_t size = d.integer("size", 0);
  const TensorId x = d.input(0);
  if (size < 1) return d.refuse("size is " + std::to_string(size) + ", expected 1 or more");
  if (d.shape(0).size() < 2 || !is_float(d.b.dtype(x))) return d.refuse("expected channels of f32");
  std::vector<Axis> axes = d.b.axes(x);
  std::vector<Expr> neighbour = indices_of(axes);
  neighbour[1] = neighbour[1] + axis("near") - (size - 1) / 2;
  const Expr is_inside = Expr(0) <= neighbour[1] && neighbour[1] < axes[1].extent;
  const Expr value = d.b.read(x, neighbour);
  axes.push_back(reduced("near", size));
  const TensorId sum =
      d.b.stage("squares", axes, Reducer::Sum, select(is_inside, value * value, real(0)));
  const double scale = d.real("alpha", 1e-4) / static_cast<double>(size);
  const double bias = d.real("bias", 1), beta = d.real("beta", 0.75);
  d.output(elementwise(
      d.b, std::array{x, sum},
      [&](std::span<const Expr> e) {
        return e[0] * binary(BinaryOp::Pow, real(bias) + real(scale) * e[1], real(-beta));
      },
      d.node().op));
}

constexpr Op list[] = {
    {"", "BatchNormalization", batch_normalization, 5},
    {"", "GroupNormalization", group_normalization, 3},
    {"", "InstanceNormalization", instance_normalization, 3},
    {"", "LRN", local_response_normalization},
    {"", "LayerNormalization", layer_normalization, 2},
    {"", "LpNormalization", lp_normalization},
    {"", "MeanVarianceNormalization", mean_variance_normalization},
    {"", "RMSNormalization", rms_normalization, 2},
    {"", "SimplifiedLayerNormalization", rms_normalization, 2},
    {"com.microsoft", "SimplifiedLayerNormalization", rms_normalization, 2},
};

}  // namespace

std::span<const Op> norm_nodes() { return list; }

}  // namespace tessera::ops
