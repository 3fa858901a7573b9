#include "ops/functions.h"

#include "ops/elementwise.h"

#include <array>
#include <numbers>

namespace tessera::ops {
namespace {

Expr abs(const Expr& x) { return unary(UnaryOp::Abs, x); }
Expr exp(const Expr& x) { return unary(UnaryOp::Exp, x); }
Expr log(const Expr& x) { return unary(UnaryOp::Log, x); }
Expr sqrt(const Expr& x) { return unary(UnaryOp::Sqrt, x); }

Expr with_sign_of(const Expr& x, const Expr& magnitude) {
  return select(x < real(0), unary(UnaryOp::Neg, magnitude), magnitude);
}

/// Horner's rule, highest power first.
Expr polynomial(const Expr& x, std::initializer_list<double> coefficients) {
  auto c = coefficients.begin();
  Expr sum = real(*c);
  for (++c; c != coefficients.end(); ++c) sum = sum * x + real(*c);
  return sum;
}

/// Abramowitz and Stegun 4.4.49 on [0, 1]; beyond it atan(x) = pi/2 - atan(1/x).
Expr atan_of(const Expr& x) {
  const Expr is_large = real(1) < abs(x);
  const Expr r = select(is_large, real(1) / abs(x), abs(x));
  const Expr angle =
      r * polynomial(r * r, {0.0028662257, -0.0161657367, 0.0429096138, -0.0752896400, 0.1065626393,
                             -0.1420889944, 0.1999355085, -0.3333314528, 1});
  return with_sign_of(x, select(is_large, real(std::numbers::pi / 2) - angle, angle));
}

/// log(1 + y) for y > -1. Below 1 the error of rounding 1 + y is divided out (Kahan).
Expr log1p_of(const Expr& y) {
  const Expr sum = real(1) + y;
  const Expr is_one = binary(BinaryOp::Equal, sum, real(1));
  const Expr corrected = select(is_one, y, log(sum) * (y / (sum - real(1))));
  return select(y < real(1), corrected, log(sum));
}

/// `outer(x, y)` where y, a stage of its own, is `inner(x)`.
TensorId composed(ComputationBuilder& builder, const TensorId& x, const Scalar1& inner,
                  const std::function<Expr(const Expr&, const Expr&)>& outer,
                  std::string_view name) {
  const TensorId y = map_float(builder, x, inner, std::string(name) + "_inner");
  return elementwise(
      builder, std::array{x, y}, [&](std::span<const Expr> e) { return outer(e[0], e[1]); }, name);
}

}  // namespace

TensorId tan(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_float(
      builder, x, [](const Expr& e) { return unary(UnaryOp::Sin, e) / unary(UnaryOp::Cos, e); },
      name);
}

TensorId atan(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_float(builder, x, atan_of, name);
}

TensorId asin(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return composed(
      builder, x, [](const Expr& e) { return e / sqrt((real(1) - e) * (real(1) + e)); },
      [](const Expr&, const Expr& tangent) { return atan_of(tangent); }, name);
}

TensorId acos(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return composed(
      builder, x, [](const Expr& e) { return sqrt((real(1) - e) / (real(1) + e)); },
      [](const Expr&, const Expr& tangent_of_half) { return real(2) * atan_of(tangent_of_half); },
      name);
}

// Below 1 the difference of exponentials would cancel; the series ends before x^11 / 11!.
TensorId sinh(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_float(
      builder, x,
      [](const Expr& e) {
        const Expr series =
            e * polynomial(e * e, {1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6, 1});
        const Expr difference = real(0.5) * (exp(e) - exp(unary(UnaryOp::Neg, e)));
        return select(abs(e) < real(1), series, difference);
      },
      name);
}

TensorId cosh(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return map_float(
      builder, x, [](const Expr& e) { return real(0.5) * (exp(e) + exp(unary(UnaryOp::Neg, e))); },
      name);
}

// log(|x| + sqrt(x^2 + 1)) as log1p(|x| + |x| / (t + sqrt(1 + t^2))), t = 1/|x|: no square
// overflows.
TensorId asinh(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return composed(
      builder, x,
      [](const Expr& e) {
        const Expr t = real(1) / abs(e);
        return abs(e) + abs(e) / (t + sqrt(real(1) + t * t));
      },
      [](const Expr& e, const Expr& y) { return with_sign_of(e, log1p_of(y)); }, name);
}

// log(x + sqrt(x^2 - 1)) as log1p(t + sqrt(t) sqrt(t + 2)), t = x - 1.
TensorId acosh(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return composed(
      builder, x,
      [](const Expr& e) {
        const Expr t = e - real(1);
        return t + sqrt(t) * sqrt(t + real(2));
      },
      [](const Expr&, const Expr& y) { return log1p_of(y); }, name);
}

TensorId atanh(ComputationBuilder& builder, const TensorId& x, std::string_view name) {
  return composed(
      builder, x, [](const Expr& e) { return real(2) * abs(e) / (real(1) - abs(e)); },
      [](const Expr& e, const Expr& y) { return with_sign_of(e, real(0.5) * log1p_of(y)); }, name);
}

}  // namespace tessera::ops
