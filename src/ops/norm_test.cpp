#include "ops/norm.h"

#include "ops/op_test.h"

#include <cmath>

namespace tessera {
namespace {

struct Moments {
  double mean = 0, variance = 0, square = 0;
};

/// Moments of x[i, :, :] for x of shape [3, 4, 5].
Moments moments(const Evaluated& run, std::int64_t i) {
  Moments m;
  for_each_index({4, 5}, [&](const Shape& r) {
    const double v = run("x", {i, r[0], r[1]});
    m.mean += v / 20;
    m.square += v * v / 20;
  });
  m.variance = m.square - m.mean * m.mean;
  return m;
}

TEST(LayerNorm, CentresAndScales) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {3, 4, 5});
  const TensorId scale = builder.constant("scale", {4, 5}), bias = builder.constant("bias", {5});
  builder.output(ops::layer_norm(builder, x, scale, bias, {.first_dim = 1, .epsilon = 1e-3}));
  const Evaluated run(builder);
  run.expect_each([&](const Shape& at) {
    const Moments m = moments(run, at[0]);
    return (run("x", at) - m.mean) / std::sqrt(m.variance + 1e-3) * run("scale", {at[1], at[2]}) +
           run("bias", {at[2]});
  });
}

TEST(LayerNorm, WorksWithoutABias) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {3, 4, 5}), scale = builder.constant("scale", {4, 5});
  builder.output(ops::layer_norm(builder, x, scale, std::nullopt, {.first_dim = -2}));
  const Evaluated run(builder);
  run.expect_each([&](const Shape& at) {
    const Moments m = moments(run, at[0]);
    return (run("x", at) - m.mean) / std::sqrt(m.variance + 1e-5) * run("scale", {at[1], at[2]});
  });
}

TEST(RmsNorm, ScalesByTheMeanSquare) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {3, 4, 5}), scale = builder.constant("scale", {5});
  builder.output(ops::rms_norm(builder, x, scale, {.first_dim = 1}));
  const Evaluated run(builder);
  run.expect_each([&](const Shape& at) {
    return run("x", at) / std::sqrt(moments(run, at[0]).square + 1e-5) * run("scale", {at[2]});
  });
}

TEST(BatchNorm, AppliesTrainedStatistics) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {2, 3, 4, 4});
  const ops::BatchStatistics statistics{.scale = builder.constant("scale", {3}),
                                        .bias = builder.constant("bias", {3}),
                                        .mean = builder.constant("mean", {3}),
                                        .variance = builder.constant("variance", {3})};
  builder.output(ops::batch_norm(builder, x, statistics));
  const Evaluated run(builder, {{"variance", {0.5, 1, 2}}});
  run.expect_each([&](const Shape& at) {
    const Shape c = {at[1]};
    return (run("x", at) - run("mean", c)) / std::sqrt(run("variance", c) + 1e-5) *
               run("scale", c) +
           run("bias", c);
  });
}

TEST(Norm, RefusesParametersThatDoNotFit) {
  ComputationBuilder scale, bias, rms, dim, dtype;
  scale.output(
      ops::layer_norm(scale, scale.input("x", {3, 4}), scale.input("s", {5}), std::nullopt));
  bias.output(ops::layer_norm(bias, bias.input("x", {3, 4}), bias.input("s", {4}),
                              bias.input("b", {2, 3, 4})));
  rms.output(ops::rms_norm(rms, rms.input("x", {3, 4}), rms.input("s", {4}, DType::I64)));
  dim.output(ops::rms_norm(dim, dim.input("x", {3, 4}), dim.input("s", {4}), {.first_dim = 2}));
  dtype.output(ops::rms_norm(dtype, dtype.input("x", {3}, DType::I64), dtype.input("s", {3})));
  EXPECT_EQ(refusal(scale), "layer_norm: scale: shape [5] does not broadcast to [3, 4]");
  EXPECT_EQ(refusal(bias), "layer_norm: bias: shape [2, 3, 4] does not broadcast to [3, 4]");
  EXPECT_EQ(refusal(rms), "rms_norm: scale: not defined for i64");
  EXPECT_EQ(refusal(dim), "rms_norm: no dimension 2 in rank 2");
  EXPECT_EQ(refusal(dtype), "rms_norm: not defined for i64");
}

TEST(BatchNorm, RefusesParametersThatDoNotFit) {
  const auto refusal_of = [](const Shape& x, const Shape& mean, DType dtype) {
    ComputationBuilder builder;
    const TensorId c = builder.constant("c", {3});
    builder.output(ops::batch_norm(
        builder, builder.input("x", x),
        {.scale = c, .bias = c, .mean = builder.constant("mean", mean, dtype), .variance = c}));
    return refusal(builder);
  };
  EXPECT_EQ(refusal_of({3}, {3}, DType::F32), "batch_norm: shape [3]; expected rank 2 or more");
  EXPECT_EQ(refusal_of({2, 3}, {4}, DType::F32), "batch_norm: shape [4] does not fit 3 channels");
  EXPECT_EQ(refusal_of({2, 3}, {3}, DType::I64), "batch_norm: not defined for i64");
}

}  // namespace
}  // namespace tessera
