#include "ops/elementwise.h"

#include "ops/op_test.h"

#include <cmath>

namespace tessera {
namespace {

TEST(Elementwise, BroadcastsOperands) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {3, 1, 5}), y = builder.input("y", {4, 1});
  builder.output(ops::sub(builder, x, y));
  const Evaluated run(builder);
  EXPECT_EQ(run.shape(), (Shape{3, 4, 5}));
  run.expect_each(
      [&](const Shape& at) { return run("x", {at[0], 0, at[2]}) - run("y", {at[1], 0}); });
}

TEST(Elementwise, BroadcastsAScalar) {
  ComputationBuilder builder;
  builder.output(ops::mul(builder, builder.input("x", {}), builder.input("y", {2, 3})));
  const Evaluated run(builder);
  run.expect_each([&](const Shape& at) { return run("x", {}) * run("y", at); });
}

TEST(Elementwise, AppliesUnaryOperators) {
  const std::pair<UnaryOp, std::function<double(double)>> operators[] = {
      {UnaryOp::Neg, [](double v) { return -v; }},
      {UnaryOp::Abs, [](double v) { return std::abs(v); }},
      {UnaryOp::Exp, [](double v) { return std::exp(v); }},
      {UnaryOp::Erf, [](double v) { return std::erf(v); }},
      {UnaryOp::Tanh, [](double v) { return std::tanh(v); }},
      {UnaryOp::Sigmoid, [](double v) { return 1 / (1 + std::exp(-v)); }},
      {UnaryOp::Floor, [](double v) { return std::floor(v); }}};
  for (const auto& tested : operators) {
    ComputationBuilder builder;
    builder.output(ops::unary(builder, tested.first, builder.input("x", {3, 4}), "y"));
    const Evaluated run(builder);
    run.expect_each([&](const Shape& at) { return tested.second(run("x", at)); });
  }
}

TEST(Elementwise, AppliesBinaryOperators) {
  const std::pair<BinaryOp, std::function<double(double, double)>> operators[] = {
      {BinaryOp::Add, [](double a, double b) { return a + b; }},
      {BinaryOp::Div, [](double a, double b) { return a / b; }},
      {BinaryOp::Min, [](double a, double b) { return std::min(a, b); }},
      {BinaryOp::Max, [](double a, double b) { return std::max(a, b); }},
      {BinaryOp::Less, [](double a, double b) { return a < b ? 1.0 : 0.0; }},
      {BinaryOp::LessEqual, [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
      {BinaryOp::Equal, [](double a, double b) { return a == b ? 1.0 : 0.0; }}};
  for (const auto& tested : operators) {
    ComputationBuilder builder;
    builder.output(ops::binary(builder, tested.first, builder.input("x", {3, 4}),
                               builder.input("y", {3, 4}), "z"));
    const Evaluated run(builder);
    run.expect_each([&](const Shape& at) { return tested.second(run("x", at), run("y", at)); });
  }
}

TEST(Elementwise, AddsABiasAlongADimension) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {2, 3, 4}), bias = builder.constant("b", {3});
  builder.output(ops::add_bias(builder, x, bias, 1));
  const Evaluated run(builder);
  run.expect_each([&](const Shape& at) { return run("x", at) + run("b", {at[1]}); });
}

TEST(Elementwise, ChoosesWhere) {
  ComputationBuilder builder;
  const TensorId c = builder.input("c", {3, 1}, DType::Bool);
  builder.output(ops::where(builder, c, builder.input("x", {4}), builder.input("y", {})));
  const Evaluated run(builder, {{"c", {1, 0, 1}}});
  run.expect_each([&](const Shape& at) { return at[0] == 1 ? run("y", {}) : run("x", {at[1]}); });
}

TEST(Elementwise, CastsBetweenDtypes) {
  ComputationBuilder truncated, tested, widened;
  truncated.output(ops::cast(truncated, truncated.input("x", {3}), DType::I64));
  tested.output(ops::cast(tested, tested.input("x", {3}), DType::Bool));
  widened.output(ops::cast(widened, widened.input("x", {3}, DType::I32), DType::F32));
  const Evaluated::Given values = {{"x", {-1.75, 0, 2.5}}};
  const auto at = [](const Evaluated& run) {
    return std::vector<double>{run.result({0}), run.result({1}), run.result({2})};
  };
  EXPECT_EQ(at(Evaluated(truncated, values)), (std::vector<double>{-1, 0, 2}));
  EXPECT_EQ(at(Evaluated(tested, values)), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(at(Evaluated(widened, {{"x", {-1, 0, 2}}})), (std::vector<double>{-1, 0, 2}));
}

std::string refusal_of(const std::function<void(ComputationBuilder&)>& build) {
  ComputationBuilder builder;
  build(builder);
  return refusal(builder);
}

TEST(Elementwise, RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(refusal_of([](auto& b) { ops::add(b, b.input("x", {2, 3}), b.input("y", {4})); }),
            "add: shapes [2, 3] and [4] do not broadcast");
  EXPECT_EQ(refusal_of([](auto& b) { ops::add_bias(b, b.input("x", {2, 3}), b.input("y", {2})); }),
            "add_bias: shape [2] does not fit dimension 1 of [2, 3]");
  EXPECT_EQ(
      refusal_of([](auto& b) { ops::add_bias(b, b.input("x", {2, 3}), b.input("y", {2}), 2); }),
      "add_bias: no dimension 2 in rank 2");
}

TEST(Elementwise, RefusesDtypesThatDoNotFit) {
  const DType i64 = DType::I64, boolean = DType::Bool;
  EXPECT_EQ(refusal_of([&](auto& b) { ops::add(b, b.input("x", {2}), b.input("y", {2}, i64)); }),
            "add: dtypes f32 and i64 differ");
  EXPECT_EQ(
      refusal_of([&](auto& b) { ops::add_bias(b, b.input("x", {2}), b.input("y", {2}, i64)); }),
      "add_bias: dtypes f32 and i64 differ");
  EXPECT_EQ(refusal_of([&](auto& b) {
              ops::mul(b, b.input("x", {2}, boolean), b.input("y", {2}, boolean));
            }),
            "mul: not defined for bool");
  EXPECT_EQ(refusal_of([&](auto& b) {
              ops::add_bias(b, b.input("x", {2}, boolean), b.input("y", {2}, boolean));
            }),
            "add_bias: not defined for bool");
  EXPECT_EQ(
      refusal_of([&](auto& b) { ops::unary(b, UnaryOp::Exp, b.input("x", {2}, i64), "exp"); }),
      "exp: not defined for i64");
  EXPECT_EQ(refusal_of([&](auto& b) {
              ops::where(b, b.input("c", {2}), b.input("x", {2}), b.input("y", {2}));
            }),
            "where: expected a bool condition, got f32");
  EXPECT_EQ(refusal_of([&](auto& b) {
              ops::where(b, b.input("c", {2}, boolean), b.input("x", {2}), b.input("y", {2}, i64));
            }),
            "where: dtypes f32 and i64 differ");
}

}  // namespace
}  // namespace tessera
