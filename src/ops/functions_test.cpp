#include "ops/functions.h"

#include "ops/op_test.h"

#include <cmath>

namespace tessera {
namespace {

using Function = TensorId (*)(ComputationBuilder&, const TensorId&, std::string_view);

void expect_function(Function ours, double (*theirs)(double), const std::vector<double>& points) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {static_cast<std::int64_t>(points.size())});
  builder.output(ours(builder, x, "f"));
  const Evaluated run(builder, {{x, points}});
  for_each_index(run.shape(), [&](const Shape& at) {
    const double want = theirs(run("x", at)), got = run.result(at);
    if (want == got || (std::isnan(want) && std::isnan(got))) return;
    EXPECT_NEAR(got, want, 1e-6 * std::abs(want)) << "at " << run("x", at);
  });
}

std::vector<double> between(double low, double high) {
  std::vector<double> points;
  for (int n = 0; n <= 200; ++n) points.push_back(low + (high - low) * n / 200);
  return points;
}

TEST(Functions, InvertCircularOnesOverTheirDomain) {
  expect_function(ops::atan, std::atan, between(-20, 20));
  expect_function(ops::atan, std::atan, {1e-8, -1e-8, 1e8, INFINITY, -INFINITY, NAN});
  expect_function(ops::asin, std::asin, between(-1, 1));
  expect_function(ops::acos, std::acos, between(-1, 1));
  expect_function(ops::asin, std::asin, {2, -2});
}

TEST(Functions, GiveTheTangent) { expect_function(ops::tan, std::tan, between(-1.5, 1.5)); }

TEST(Functions, KeepTheirDigitsNearZero) {
  const std::vector<double> small = {1e-7, -1e-7, 1e-3, -1e-3, 0.1, 0};
  expect_function(ops::sinh, std::sinh, small);
  expect_function(ops::asinh, std::asinh, small);
  expect_function(ops::atanh, std::atanh, small);
  expect_function(ops::acosh, std::acosh, {1, 1.001, 1.5});
}

TEST(Functions, AreHyperbolicOverTheirDomain) {
  expect_function(ops::sinh, std::sinh, between(-10, 10));
  expect_function(ops::cosh, std::cosh, between(-10, 10));
  expect_function(ops::asinh, std::asinh, between(-1000, 1000));
  expect_function(ops::asinh, std::asinh, {1e30, -1e30, INFINITY});
  expect_function(ops::acosh, std::acosh, between(1, 1000));
  expect_function(ops::acosh, std::acosh, {1e30, 0.5});
  expect_function(ops::atanh, std::atanh, between(-0.99, 0.99));
  expect_function(ops::atanh, std::atanh, {1, -1, 2});
}

TEST(Functions, RefuseIntegers) {
  ComputationBuilder builder;
  builder.output(ops::asin(builder, builder.input("x", {2}, DType::I32)));
  EXPECT_EQ(refusal(builder), "asin_inner: not defined for i32");
}

TEST(Functions, RefuseIntegersBeforeTheyMeetFloats) {
  ComputationBuilder builder;
  builder.output(ops::asinh(builder, builder.input("x", {2}, DType::I32)));
  EXPECT_EQ(refusal(builder), "asinh_inner: not defined for i32");
}

}  // namespace
}  // namespace tessera
