#include "ops/conv.h"

#include "ir/text.h"
#include "ops/op_test.h"

namespace tessera {
namespace {

struct Case {
  std::string name;
  Shape x, w;
  ops::ConvOptions options;
};

/// Two-dimensional convolution as everybody writes it.
double direct(const Evaluated& run, const Case& c, const Shape& at) {
  const std::int64_t group_outputs = c.w[0] / c.options.groups;
  const ops::Slide down = c.options.slides.empty() ? ops::Slide{} : c.options.slides[0];
  const ops::Slide across = c.options.slides.empty() ? ops::Slide{} : c.options.slides[1];
  double sum = 0;
  for (std::int64_t i = 0; i < c.w[1]; ++i)
    for (std::int64_t r = 0; r < c.w[2]; ++r)
      for (std::int64_t s = 0; s < c.w[3]; ++s) {
        const std::int64_t h = at[2] * down.stride + r * down.dilation - down.before;
        const std::int64_t w = at[3] * across.stride + s * across.dilation - across.before;
        if (h < 0 || h >= c.x[2] || w < 0 || w >= c.x[3]) continue;
        sum += run("x", {at[0], at[1] / group_outputs * c.w[1] + i, h, w}) *
               run("w", {at[1], i, r, s});
      }
  return sum;
}

class Conv : public testing::TestWithParam<Case> {};

TEST_P(Conv, EqualsTheDirectLoops) {
  const Case& c = GetParam();
  ComputationBuilder builder;
  const TensorId x = builder.input("x", c.x), w = builder.constant("w", c.w);
  builder.output(ops::conv(builder, x, w, c.options));
  const Evaluated run(builder);
  run.expect_each([&](const Shape& at) { return direct(run, c, at); });
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Conv,
    testing::Values(
        Case{"Plain", {2, 3, 7, 5}, {4, 3, 3, 3}, {}},
        Case{"Pointwise", {1, 6, 5, 5}, {4, 6, 1, 1}, {}},
        Case{"Strided",
             {1, 3, 9, 8},
             {2, 3, 3, 2},
             {.slides = {{.stride = 2}, {.stride = 3}}, .groups = 1}},
        Case{"PaddedOnOneSide",
             {1, 2, 5, 6},
             {3, 2, 3, 3},
             {.slides = {{.before = 1, .after = 0}, {.before = 0, .after = 2}}, .groups = 1}},
        Case{"Dilated",
             {1, 2, 9, 9},
             {3, 2, 3, 3},
             {.slides = {{.dilation = 2, .before = 2, .after = 2},
                         {.dilation = 3, .before = 3, .after = 3}},
              .groups = 1}},
        Case{"Grouped", {1, 6, 5, 5}, {4, 3, 3, 3}, {.slides = {}, .groups = 2}},
        Case{"Depthwise",
             {1, 5, 6, 6},
             {5, 1, 3, 3},
             {.slides = {{.stride = 2, .before = 1, .after = 1},
                         {.stride = 2, .before = 1, .after = 1}},
              .groups = 5}},
        Case{"DepthwiseWithMultiplier", {1, 3, 6, 6}, {6, 1, 3, 3}, {.slides = {}, .groups = 3}},
        Case{"OneTapPerChannel", {1, 3, 4, 4}, {3, 1, 1, 1}, {.slides = {}, .groups = 3}}),
    [](const auto& tested) { return tested.param.name; });

TEST(ConvRanks, RunOverOneAndThreeDimensions) {
  ComputationBuilder line, cube;
  line.output(ops::conv(line, line.input("x", {1, 2, 9}), line.input("w", {3, 2, 4})));
  cube.output(ops::conv(cube, cube.input("x", {1, 1, 4, 3, 5}), cube.input("w", {2, 1, 2, 2, 2})));
  const Evaluated one(line), three(cube);
  EXPECT_EQ(one.shape(), (Shape{1, 3, 6}));
  EXPECT_EQ(three.shape(), (Shape{1, 2, 3, 2, 4}));
  one.expect_each([&](const Shape& at) {
    double sum = 0;
    for_each_index({2, 4}, [&](const Shape& t) {
      sum += one("x", {0, t[0], at[2] + t[1]}) * one("w", {at[1], t[0], t[1]});
    });
    return sum;
  });
  three.expect_each([&](const Shape& at) {
    double sum = 0;
    for_each_index({2, 2, 2}, [&](const Shape& t) {
      sum += three("x", {0, 0, at[2] + t[0], at[3] + t[1], at[4] + t[2]}) *
             three("w", {at[1], 0, t[0], t[1], t[2]});
    });
    return sum;
  });
}

std::string value_text(const Shape& x, const Shape& w, const ops::ConvOptions& options) {
  ComputationBuilder builder;
  builder.output(ops::conv(builder, builder.input("x", x), builder.constant("w", w), options));
  return to_text(builder.finish("test")->stages[0].value);
}

TEST(ConvText, GuardsOnlySidesThatReadPadding) {
  EXPECT_EQ(value_text({1, 8, 9, 9}, {4, 8, 3, 3}, {}), "x[n, c, y + r, x + s] * w[o, c, r, s]");
  EXPECT_EQ(value_text({1, 8, 9, 9}, {4, 8, 3, 3},
                       {.slides = {{.before = 1}, {.after = 1}}, .groups = 1}),
            "select(0 <= y + r - 1 && x + s < 9, x[n, c, y + r - 1, x + s], 0.0) * w[o, c, r, s]");
}

TEST(ConvText, ReadsTheOwnChannelWhenDepthwise) {
  EXPECT_EQ(value_text({1, 8, 9, 9}, {8, 1, 3, 3}, {.slides = {}, .groups = 8}),
            "x[n, o, y + r, x + s] * w[o, 0, r, s]");
  EXPECT_EQ(value_text({1, 8, 9, 9}, {8, 8, 1, 1}, {}), "x[n, c, y, x] * w[o, c, 0, 0]");
}

std::string refusal_of(const Shape& x, const Shape& w, const ops::ConvOptions& options = {},
                       DType dtype = DType::F32) {
  ComputationBuilder builder;
  builder.output(ops::conv(builder, builder.input("x", x, dtype), builder.input("w", w), options));
  return refusal(builder);
}

TEST(ConvRefusals, NameWhatDoesNotFit) {
  const Shape x = {1, 4, 8, 8}, w = {6, 4, 3, 3};
  EXPECT_EQ(refusal_of({4, 8, 8}, w),
            "conv: input [4, 8, 8] and weights [6, 4, 3, 3]; expected one rank, at least 3");
  EXPECT_EQ(
      refusal_of(x, {6, 3, 3, 3}),
      "conv: input [1, 4, 8, 8] and weights [6, 3, 3, 3] do not fit: 4 channels in 1 groups of 3");
  EXPECT_EQ(refusal_of(x, w, {.slides = {}, .groups = 4}),
            "conv: 4 groups do not divide 6 output channels");
  EXPECT_EQ(refusal_of(x, w, {.slides = {}, .groups = 0}),
            "conv: 0 groups do not divide 6 output channels");
  EXPECT_EQ(refusal_of(x, w, {.slides = {{.stride = 0}, {}}, .groups = 1}),
            "conv: window 3, stride 0, dilation 1, padding 0:0; expected positive steps and no "
            "negative padding");
  EXPECT_EQ(refusal_of(x, {6, 4, 9, 9}), "conv: window spans 9 elements, padded input has 8");
  EXPECT_EQ(refusal_of(x, w, {.slides = {{}}, .groups = 1}),
            "conv: window [3, 3] with 1 slides over 2 spatial dimensions");
  EXPECT_EQ(refusal_of({1, 1, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1}),
            "conv: expected 1 to 3 spatial dimensions, got 4");
  EXPECT_EQ(refusal_of(x, w, {}, DType::I32), "conv: not defined for i32");
}

}  // namespace
}  // namespace tessera
