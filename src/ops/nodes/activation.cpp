#include "ops/activation.h"

#include "ops/elementwise.h"
#include "ops/nodes/nodes.h"
#include "ops/rearrange.h"
#include "ops/shape.h"

#include <array>

namespace tessera::ops {
namespace {

Expr exp(const Expr& e) { return unary(UnaryOp::Exp, e); }
Expr abs(const Expr& e) { return unary(UnaryOp::Abs, e); }

template <TensorId (*F)(ComputationBuilder&, const TensorId&, std::string_view)>
void plain(Definition& d) {
  d.output(F(d.b, d.input(0), d.node().op));
}

void map_input(Definition& d, const Scalar1& f) {
  d.output(map_float(d.b, d.input(0), f, d.node().op));
}

void leaky_relu_node(Definition& d) {
  d.output(leaky_relu(d.b, d.input(0), d.real("alpha", 0.01), d.node().op));
}

/// Before version 7 a slope of rank one belongs to the channels.
void prelu(Definition& d) {
  TensorId slope = d.input(1);
  const Shape shape = d.b.shape(slope);
  const std::size_t rank = d.shape(0).size();
  if (d.version() < 7 && shape.size() == 1 && shape[0] > 1 && rank > 2) {
    Shape channels(rank - 1, 1);
    channels[0] = shape[0];
    slope = reshape(d.b, slope, channels);
  }
  if (d.b.dtype(slope) != dtype_of(d.type(0).element) || d.type(0).element == ElementType::Bool)
    return d.refuse(dtypes_differ(dtype_of(d.type(0).element), d.b.dtype(slope)));
  d.output(elementwise(
      d.b, std::array{d.input(0), slope},
      [](std::span<const Expr> e) {
        return select(e[0] < number(e[0].dtype(), 0), e[0] * e[1], e[0]);
      },
      d.node().op));
}

void elu_node(Definition& d) { d.output(elu(d.b, d.input(0), d.real("alpha", 1), d.node().op)); }

void selu(Definition& d) {
  const double alpha = d.real("alpha", d.version() < 6 ? 1.6732 : 1.67326319217681884765625);
  const double gamma = d.real("gamma", d.version() < 6 ? 1.0507 : 1.05070102214813232421875);
  map_input(d, [&](const Expr& e) {
    const Expr below = real(gamma * alpha) * (exp(e) - real(1));
    return select(e < real(0), below, real(gamma) * e);
  });
}

void celu(Definition& d) {
  const double alpha = d.real("alpha", 1);
  map_input(d, [&](const Expr& e) {
    const Expr below = real(alpha) * (exp(e * real(1 / alpha)) - real(1));
    return select(e < real(0), below, e);
  });
}

void gelu_node(Definition& d) {
  const std::string approximate = d.text("approximate", "none");
  if (approximate == "none") return plain<gelu>(d);
  if (approximate == "tanh") return plain<gelu_tanh>(d);
  d.refuse("approximate is \"" + approximate + "\", expected none or tanh");
}

/// The activation of x plus a bias along the last dimension, which may be absent.
template <TensorId (*F)(ComputationBuilder&, const TensorId&, std::string_view)>
void biased(Definition& d) {
  const TensorId x = d.has_input(1) ? add(d.b, d.input(0), d.input(1), "bias") : d.input(0);
  d.output(F(d.b, x, d.node().op));
}

/// x * sigmoid(alpha * x).
void sigmoid_linear(Definition& d, double alpha) {
  map_input(d, [&](const Expr& e) {
    return e * unary(UnaryOp::Sigmoid, alpha == 1 ? e : e * real(alpha));
  });
}
void quick_gelu(Definition& d) { sigmoid_linear(d, d.real("alpha", 1.702)); }
void swish(Definition& d) { sigmoid_linear(d, d.real("alpha", 1)); }

void hard_sigmoid_node(Definition& d) {
  d.output(hard_sigmoid(d.b, d.input(0), d.real("alpha", 0.2), d.real("beta", 0.5), d.node().op));
}

void softsign(Definition& d) {
  map_input(d, [](const Expr& e) { return e / (real(1) + abs(e)); });
}

void thresholded_relu(Definition& d) {
  const Expr alpha = real(d.real("alpha", 1));
  map_input(d, [&](const Expr& e) { return select(alpha < e, e, real(0)); });
}

void mish(Definition& d) {
  const TensorId gate = softplus(d.b, d.input(0), "softplus");
  d.output(elementwise(
      d.b, std::array{d.input(0), gate},
      [](std::span<const Expr> e) { return e[0] * unary(UnaryOp::Tanh, e[1]); }, d.node().op));
}

/// Moves values by `bias` towards zero; those within `lambd` of it become zero.
void shrink(Definition& d) {
  const double limit = d.real("lambd", 0.5), bias = d.real("bias", 0);
  d.output(map_number(
      d.b, d.input(0),
      [&](const Expr& e) {
        const auto value = [&](double v) { return number(e.dtype(), v); };
        return select(e < value(-limit), e + value(bias),
                      select(value(limit) < e, e - value(bias), value(0)));
      },
      d.node().op));
}

constexpr std::string_view microsoft = "com.microsoft";

constexpr Op list[] = {
    {"", "Celu", celu},
    {"", "Elu", elu_node},
    {"", "Gelu", gelu_node},
    {"", "HardSigmoid", hard_sigmoid_node},
    {"", "HardSwish", plain<hardswish>},
    {"", "LeakyRelu", leaky_relu_node},
    {"", "Mish", mish},
    {"", "PRelu", prelu, 2},
    {"", "Relu", plain<relu>},
    {"", "Selu", selu},
    {"", "Shrink", shrink},
    {"", "Softplus", plain<softplus>},
    {"", "Softsign", softsign},
    {"", "Swish", swish},
    {"", "ThresholdedRelu", thresholded_relu},
    {microsoft, "BiasGelu", biased<gelu>, 2},
    {microsoft, "FastGelu", biased<gelu_tanh>},
    {microsoft, "Gelu", plain<gelu>},
    {microsoft, "QuickGelu", quick_gelu},
};

}  // namespace

std::span<const Op> activation_nodes() { return list; }

}  // namespace tessera::ops
