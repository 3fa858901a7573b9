#include "ops/activation.h"

#include "ops/elementwise.h"
#include "ops/shape.h"

#include <cmath>
#include <numbers>
#include <string>

namespace tessera::ops {
namespace {

Expr clipped(const Expr& x, double low, double high) {
  return min(max(x, number(x.dtype(), low)), number(x.dtype(), high));
}

}  // namespace

TensorId relu(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_number(builder, x, [](const Expr& e) { return max(e, number(e.dtype(), 0)); }, name);
}

TensorId leaky_relu(ComputationBuilder& builder, const TensorId& x, double slope,
                    std::string_view name) {
  return map_float(
      builder, x, [&](const Expr& e) { return select(e < real(0), real(slope) * e, e); }, name);
}

TensorId clip(ComputationBuilder& builder, const TensorId& x, double low, double high,
              std::string_view name) {
  return map_number(builder, x, [&](const Expr& e) { return clipped(e, low, high); }, name);
}

TensorId gelu(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_float(
      builder, x,
      [](const Expr& e) {
        return real(0.5) * e * (real(1) + unary(UnaryOp::Erf, e * real(std::numbers::sqrt2 / 2)));
      },
      name);
}

TensorId gelu_tanh(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  const double scale = std::sqrt(2 / std::numbers::pi);
  return map_float(
      builder, x,
      [&](const Expr& e) {
        const Expr inner = e * (real(scale) + real(scale * 0.044715) * e * e);
        return real(0.5) * e * (real(1) + unary(UnaryOp::Tanh, inner));
      },
      name);
}

TensorId silu(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_float(builder, x, [](const Expr& e) { return e * unary(UnaryOp::Sigmoid, e); }, name);
}

TensorId hard_sigmoid(ComputationBuilder& builder, const TensorId& x, double alpha, double beta,
                      std::string_view name) {
  return map_float(
      builder, x, [&](const Expr& e) { return clipped(e * real(alpha) + real(beta), 0, 1); }, name);
}

TensorId hardswish(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_float(
      builder, x, [](const Expr& e) { return e * clipped(e * real(1.0 / 6) + real(0.5), 0, 1); },
      name);
}

TensorId elu(ComputationBuilder& builder, const TensorId& x, double alpha, std::string_view name) {
  return map_float(
      builder, x,
      [&](const Expr& e) {
        return select(e < real(0), real(alpha) * (unary(UnaryOp::Exp, e) - real(1)), e);
      },
      name);
}

TensorId softplus(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_float(
      builder, x,
      [](const Expr& e) {
        const Expr decayed = unary(UnaryOp::Exp, unary(UnaryOp::Neg, unary(UnaryOp::Abs, e)));
        return max(e, real(0)) + unary(UnaryOp::Log, real(1) + decayed);
      },
      name);
}

TensorId sign(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_number(
      builder, x,
      [](const Expr& e) {
        const auto value = [&](double v) { return number(e.dtype(), v); };
        return select(value(0) < e, value(1), select(e < value(0), value(-1), value(0)));
      },
      name);
}

TensorId reciprocal(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_float(builder, x, [](const Expr& e) { return real(1) / e; }, name);
}

}  // namespace tessera::ops
