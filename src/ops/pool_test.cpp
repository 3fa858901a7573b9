#include "ops/pool.h"

#include "ops/op_test.h"

#include <cmath>
#include <limits>

namespace tessera {
namespace {

using ops::PoolCount;
using ops::PoolOptions;

const Shape input = {2, 3, 7, 6};
const PoolOptions plain = {.window = {2, 3}, .slides = {{.stride = 2}, {.stride = 1}}};
const PoolOptions padded = {.window = {3, 2},
                            .slides = {{.stride = 2, .before = 1, .after = 1},
                                       {.stride = 2, .dilation = 2, .before = 1, .after = 0}}};

/// Calls `f` with every element that the window at `at` sees.
void for_each_seen(const Evaluated& run, const PoolOptions& options, const Shape& at,
                   const std::function<void(double)>& f) {
  for_each_index(options.window, [&](const Shape& tap) {
    Shape index = {at[0], at[1]};
    for (std::size_t d = 0; d < 2; ++d) {
      const ops::Slide& s = options.slides[d];
      index.push_back(at[d + 2] * s.stride + tap[d] * s.dilation - s.before);
      if (index.back() < 0 || index.back() >= input[d + 2]) return;
    }
    f(run("x", index));
  });
}

TEST(Pool, TakesTheMaximum) {
  for (const PoolOptions& options : {plain, padded}) {
    ComputationBuilder builder;
    builder.output(ops::max_pool(builder, builder.input("x", input), options));
    const Evaluated run(builder);
    run.expect_each([&](const Shape& at) {
      double best = -std::numeric_limits<double>::infinity();
      for_each_seen(run, options, at, [&](double v) { best = std::max(best, v); });
      return best;
    });
  }
}

TEST(Pool, AveragesTapsOrElements) {
  for (const PoolOptions& options : {plain, padded})
    for (const PoolCount counted : {PoolCount::Taps, PoolCount::Elements}) {
      ComputationBuilder builder;
      builder.output(ops::average_pool(builder, builder.input("x", input), options, counted));
      const Evaluated run(builder);
      run.expect_each([&](const Shape& at) {
        double sum = 0, seen = 0;
        for_each_seen(run, options, at, [&](double v) { sum += v, seen += 1; });
        return sum / (counted == PoolCount::Elements ? seen : 6.0);
      });
    }
}

TEST(Pool, AveragesInOneStageWithoutPadding) {
  ComputationBuilder builder;
  builder.output(ops::average_pool(builder, builder.input("x", input), plain));
  EXPECT_EQ(builder.finish("test")->stages.size(), 1u);
}

TEST(Pool, ReducesAllSpatialDimensionsWhenGlobal) {
  ComputationBuilder builder;
  builder.output(ops::global_pool(builder, Reduction::Mean, builder.input("x", input)));
  const Evaluated run(builder);
  EXPECT_EQ(run.shape(), (Shape{2, 3, 1, 1}));
  run.expect_each([&](const Shape& at) {
    double sum = 0;
    for_each_index({7, 6}, [&](const Shape& s) { sum += run("x", {at[0], at[1], s[0], s[1]}); });
    return sum / 42;
  });
}

std::string refusal_of(const Shape& x, const PoolOptions& options, DType dtype = DType::F32) {
  ComputationBuilder builder;
  builder.output(ops::max_pool(builder, builder.input("x", x, dtype), options));
  return refusal(builder);
}

TEST(Pool, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal_of({3, 4}, plain), "max_pool: shape [3, 4]; expected rank 3 or more");
  EXPECT_EQ(refusal_of(input, {.window = {3}, .slides = {}}),
            "max_pool: window [3] with 0 slides over 2 spatial dimensions");
  EXPECT_EQ(refusal_of(input, {.window = {0, 1}, .slides = {}}),
            "max_pool: window 0, stride 1, dilation 1, padding 0:0; expected positive steps and no "
            "negative "
            "padding");
  EXPECT_EQ(refusal_of(input, {.window = {2, 2}, .slides = {{.before = 2}, {}}}),
            "max_pool: window [2, 2] sees nothing but padding somewhere");
  EXPECT_EQ(refusal_of(input, {.window = {2, 2}, .slides = {{.after = 2}, {}}}),
            "max_pool: window [2, 2] sees nothing but padding somewhere");
  EXPECT_EQ(refusal_of(input, plain, DType::Bool), "max_pool: not defined for bool");
}

TEST(Pool, RefusesAGlobalPoolWithoutSpatialDimensions) {
  ComputationBuilder builder;
  builder.output(ops::global_pool(builder, Reduction::Max, builder.input("x", {3, 4})));
  EXPECT_EQ(refusal(builder), "global_pool: shape [3, 4]; expected rank 3 or more");
}

}  // namespace
}  // namespace tessera
