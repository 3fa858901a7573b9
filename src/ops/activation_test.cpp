#include "ops/activation.h"

#include "ops/op_test.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera {
namespace {

using Op = std::function<TensorId(ComputationBuilder&, const TensorId&)>;
using Function = std::function<double(double)>;

/// Compares on values on both sides of every kink.
void expect_function(const Op& op, const Function& f) {
  const std::vector<double> points = {-100, -7, -3, -1.5, -0.25, 0, 0.25, 1, 2.5, 3, 6.5, 100};
  ComputationBuilder builder;
  builder.output(op(builder, builder.input("x", {static_cast<std::int64_t>(points.size())})));
  const Evaluated run(builder, {{"x", points}});
  run.expect_each([&](const Shape& at) { return f(run("x", at)); });
}

TEST(Activation, EqualsItsFormula) {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  expect_function([](auto& b, auto& x) { return ops::relu(b, x); },
                  [](double v) { return std::max(v, 0.0); });
  expect_function([](auto& b, auto& x) { return ops::leaky_relu(b, x, 0.1); },
                  [](double v) { return v < 0 ? 0.1 * v : v; });
  expect_function([](auto& b, auto& x) { return ops::clip(b, x, 0, 6); },
                  [](double v) { return std::clamp(v, 0.0, 6.0); });
  expect_function([](auto& b, auto& x) { return ops::gelu(b, x); },
                  [](double v) { return v / 2 * (1 + std::erf(v / std::numbers::sqrt2)); });
  expect_function(
      [](auto& b, auto& x) { return ops::gelu_tanh(b, x); },
      [](double v) {
        return v / 2 *
               (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v)));
      });
  expect_function([](auto& b, auto& x) { return ops::silu(b, x); },
                  [&](double v) { return v * sigmoid(v); });
  expect_function([](auto& b, auto& x) { return ops::hard_sigmoid(b, x); },
                  [](double v) { return std::clamp(0.2 * v + 0.5, 0.0, 1.0); });
  expect_function([](auto& b, auto& x) { return ops::hardswish(b, x); },
                  [](double v) { return v * std::clamp(v / 6 + 0.5, 0.0, 1.0); });
  expect_function([](auto& b, auto& x) { return ops::elu(b, x, 0.5); },
                  [](double v) { return v < 0 ? 0.5 * std::expm1(v) : v; });
  expect_function([](auto& b, auto& x) { return ops::softplus(b, x); },
                  [](double v) { return v > 50 ? v : std::log1p(std::exp(v)); });
  expect_function([](auto& b, auto& x) { return ops::sign(b, x); },
                  [](double v) { return v > 0   ? 1.0
                                        : v < 0 ? -1.0
                                                : 0.0; });
}

TEST(Activation, InvertsNumbers) {
  ComputationBuilder builder;
  builder.output(ops::reciprocal(builder, builder.input("x", {3})));
  const Evaluated run(builder, {{"x", {-2, 0.5, 4}}});
  run.expect_each([&](const Shape& at) { return 1 / run("x", at); });
}

TEST(Activation, ClipsIntegers) {
  ComputationBuilder builder;
  const double infinity = std::numeric_limits<double>::infinity();
  builder.output(ops::clip(builder, builder.input("x", {3}, DType::I32), 2, infinity));
  const Evaluated run(builder, {{"x", {-5, 2, 9}}});
  run.expect_each([&](const Shape& at) { return std::max(run("x", at), 2.0); });
}

TEST(Activation, RefusesDtypesWithoutMeaning) {
  ComputationBuilder integer, boolean;
  ops::gelu(integer, integer.input("x", {3}, DType::I64));
  ops::relu(boolean, boolean.input("x", {3}, DType::Bool));
  EXPECT_EQ(refusal(integer), "gelu: not defined for i64");
  EXPECT_EQ(refusal(boolean), "relu: not defined for bool");
}

}  // namespace
}  // namespace tessera
