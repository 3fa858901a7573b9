#include "ops/conv_transpose.h"

#include "ops/op_test.h"

namespace tessera {
namespace {

struct Case {
  Shape x, w;
  std::vector<ops::Growth> growths;
  std::int64_t groups = 1;
};

/// Scatters one image and sums, as the operator is usually written.
double direct(const Evaluated& run, const Case& c, const Shape& at) {
  const std::int64_t outputs = c.w[1], inputs = c.x[1] / c.groups;
  const std::int64_t group = at[1] / outputs;
  double sum = 0;
  for_each_index({inputs, c.x[2], c.x[3], c.w[2], c.w[3]}, [&](const Shape& i) {
    const auto lands = [&](std::size_t d) {
      const ops::Growth& g = c.growths[d];
      return i[d + 1] * g.stride + i[d + 3] * g.dilation - g.before == at[d + 2];
    };
    if (!lands(0) || !lands(1)) return;
    const std::int64_t channel = group * inputs + i[0];
    sum +=
        run("x", {at[0], channel, i[1], i[2]}) * run("w", {channel, at[1] % outputs, i[3], i[4]});
  });
  return sum;
}

TEST(ConvTranspose, EqualsTheScatteredSum) {
  const Case cases[] = {
      {{2, 3, 4, 3}, {3, 2, 3, 2}, {{.extent = 6}, {.extent = 4}}},
      {{1, 2, 3, 3},
       {2, 2, 3, 3},
       {{.stride = 2, .before = 1, .extent = 5}, {.stride = 3, .before = 0, .extent = 10}}},
      {{1, 4, 3, 2}, {4, 3, 2, 2}, {{.dilation = 2, .extent = 5}, {.extent = 3}}, 2},
  };
  for (const Case& c : cases) {
    ComputationBuilder builder;
    const TensorId x = builder.input("x", c.x), w = builder.constant("w", c.w);
    builder.output(ops::conv_transpose(builder, x, w, c.growths, c.groups));
    const Evaluated run(builder);
    EXPECT_EQ(run.shape()[1], c.w[1] * c.groups);
    run.expect_each([&](const Shape& at) { return direct(run, c, at); });
  }
}

std::string refusal_of(const Shape& x, const Shape& w, const std::vector<ops::Growth>& growths,
                       std::int64_t groups = 1) {
  ComputationBuilder builder;
  builder.output(
      ops::conv_transpose(builder, builder.input("x", x), builder.input("w", w), growths, groups));
  return refusal(builder);
}

TEST(ConvTranspose, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal_of({1, 2}, {2, 1}, {}),
            "conv_transpose: input [1, 2] and weights [2, 1]; expected one rank, 3 to 5");
  EXPECT_EQ(refusal_of({1, 2, 3}, {2, 1, 3}, {}),
            "conv_transpose: input [1, 2, 3] and weights [2, 1, 3] with 0 strides");
  EXPECT_EQ(refusal_of({1, 2, 3}, {2, 1, 3}, {{}}, 3),
            "conv_transpose: input [1, 2, 3] and weights [2, 1, 3] do not fit in 3 groups");
  EXPECT_EQ(refusal_of({1, 2, 3}, {2, 1, 3}, {{.stride = 0}}),
            "conv_transpose: stride 0, dilation 1, extent 1; expected positive ones");
}

}  // namespace
}  // namespace tessera
