#include "ops/rearrange.h"

#include "ir/text.h"
#include "ops/op_test.h"

namespace tessera {
namespace {

using Build = std::function<TensorId(ComputationBuilder&, const TensorId&)>;

/// Builds one op on an input `x` and expects each element of the result to be x at `source`.
void expect_moved(const Shape& shape, const Shape& result, const Build& op,
                  const std::function<Shape(const Shape&)>& source) {
  ComputationBuilder builder;
  builder.output(op(builder, builder.input("x", shape)));
  const Evaluated run(builder);
  EXPECT_EQ(run.shape(), result);
  run.expect_each([&](const Shape& at) { return run("x", source(at)); });
}

std::string value_text(const Shape& shape, const Build& op) {
  ComputationBuilder builder;
  builder.output(op(builder, builder.input("x", shape)));
  return to_text(builder.finish("test")->stages[0].value);
}

std::string refusal_of(const Shape& shape, const Build& op) {
  ComputationBuilder builder;
  builder.output(op(builder, builder.input("x", shape)));
  return refusal(builder);
}

TEST(Rearrange, Copies) {
  expect_moved(
      {3, 4}, {3, 4}, [](auto& b, auto& x) { return ops::copy(b, x); },
      [](const Shape& at) { return at; });
}

TEST(Rearrange, CopiesManyDimensions) {
  EXPECT_EQ(value_text({1, 2, 3, 4, 5}, [](auto& b, auto& x) { return ops::copy(b, x); }),
            "x[i0, i1, i2, i3, i4]");
}

TEST(Rearrange, Transposes) {
  expect_moved(
      {2, 3, 4}, {4, 2, 3}, [](auto& b, auto& x) { return ops::transpose(b, x, {2, 0, -2}); },
      [](const Shape& at) { return Shape{at[1], at[2], at[0]}; });
}

TEST(Rearrange, ReshapesInRowMajorOrder) {
  const Shape from = {4, 6, 2};
  for (const Shape& to :
       {Shape{48}, Shape{8, 6}, Shape{2, 2, 3, 4}, Shape{4, 1, 12}, Shape{4, 6, 1, 2}})
    expect_moved(
        from, to, [&](auto& b, auto& x) { return ops::reshape(b, x, to); },
        [&](const Shape& at) {
          const std::int64_t n = position(to, at);
          return Shape{n / 12, n / 2 % 6, n % 2};
        });
}

TEST(Rearrange, ReshapesUnitDimensionsWithPlainIndices) {
  const auto text = [](const Shape& from, const Shape& to) {
    return value_text(from, [&](auto& b, auto& x) { return ops::reshape(b, x, to); });
  };
  EXPECT_EQ(text({4, 6}, {4, 1, 6}), "x[i, k]");
  EXPECT_EQ(text({1, 4, 1, 6}, {4, 6}), "x[0, i, 0, j]");
  EXPECT_EQ(text({1, 4}, {4, 1}), "x[0, i]");
  EXPECT_EQ(text({8, 12}, {8, 3, 4}), "x[i, j * 4 + k]");
  EXPECT_EQ(text({8, 3, 4}, {8, 12}), "x[i, j / 4, j % 4]");
}

TEST(Rearrange, Expands) {
  expect_moved(
      {3, 1}, {2, 3, 4}, [](auto& b, auto& x) { return ops::expand(b, x, {2, 1, 4}); },
      [](const Shape& at) { return Shape{at[1], 0}; });
}

TEST(Rearrange, Tiles) {
  expect_moved(
      {3, 2}, {6, 2}, [](auto& b, auto& x) { return ops::tile(b, x, {2, 1}); },
      [](const Shape& at) { return Shape{at[0] % 3, at[1]}; });
}

TEST(Rearrange, Slices) {
  const std::vector<ops::Range> ranges = {{.dim = 0, .start = 1, .end = 100, .step = 3},
                                          {.dim = -1, .start = -2, .end = -100, .step = -2}};
  expect_moved(
      {9, 2, 7}, {3, 2, 3}, [&](auto& b, auto& x) { return ops::slice(b, x, ranges); },
      [](const Shape& at) { return Shape{1 + 3 * at[0], at[1], 5 - 2 * at[2]}; });
}

TEST(Rearrange, SlicesWithStepsLongerThanTheDimension) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  expect_moved(
      {4}, {1},
      [&](auto& b, auto& x) {
        return ops::slice(b, x, {{.dim = 0, .start = -1, .end = lowest, .step = lowest}});
      },
      [](const Shape&) { return Shape{3}; });
}

TEST(Rearrange, PadsAndCuts) {
  ComputationBuilder builder;
  builder.output(ops::pad(builder, builder.input("x", {3, 4}), {1, -1}, {2, 1}, real(7)));
  const Evaluated run(builder);
  EXPECT_EQ(run.shape(), (Shape{6, 4}));
  run.expect_each([&](const Shape& at) {
    const bool is_inside = at[0] >= 1 && at[0] < 4 && at[1] < 3;
    return is_inside ? run("x", {at[0] - 1, at[1] + 1}) : 7.0;
  });
  EXPECT_EQ(
      value_text({3, 4}, [](auto& b, auto& x) { return ops::pad(b, x, {0, 0}, {0, 1}, real(0)); }),
      "select(j < 4, x[i, j], 0.0)");
}

TEST(Rearrange, Concatenates) {
  ComputationBuilder builder;
  const TensorId a = builder.input("a", {2, 3}), b = builder.input("b", {2, 1}),
                 c = builder.input("c", {2, 4});
  builder.output(ops::concat(builder, {a, b, c}, -1));
  const Evaluated run(builder);
  EXPECT_EQ(run.shape(), (Shape{2, 8}));
  run.expect_each([&](const Shape& at) {
    if (at[1] < 3) return run("a", at);
    return at[1] < 4 ? run("b", {at[0], 0}) : run("c", {at[0], at[1] - 4});
  });
}

TEST(Rearrange, ConcatenatesManyPartsWithoutDeepNesting) {
  ComputationBuilder builder;
  std::vector<TensorId> parts;
  for (int n = 0; n < 300; ++n) parts.push_back(builder.input("x", {2}));
  builder.output(ops::concat(builder, parts, 0));
  const Evaluated run(builder);
  run.expect_each([&](const Shape& at) {
    return run(parts[static_cast<std::size_t>(at[0] / 2)], {at[0] % 2});
  });
}

TEST(Rearrange, GathersWrappingAndClamping) {
  const std::vector<double> picks = {0, 4, -1, -5, 9, -9};
  for (const DType dtype : {DType::I64, DType::I32}) {
    ComputationBuilder builder;
    const TensorId x = builder.input("x", {2, 5, 3}), at = builder.input("at", {3, 2}, dtype);
    builder.output(ops::gather(builder, x, at, 1));
    const Evaluated run(builder, {{"at", picks}});
    EXPECT_EQ(run.shape(), (Shape{2, 3, 2, 3}));
    const std::int64_t resolved[] = {0, 4, 4, 0, 4, 0};
    run.expect_each(
        [&](const Shape& i) { return run("x", {i[0], resolved[i[1] * 2 + i[2]], i[3]}); });
  }
}

TEST(Rearrange, RefusesShapesThatDoNotFit) {
  const Shape x = {2, 3};
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::transpose(b, t, {0, 0}); }),
            "transpose: order [0, 0] is no permutation of the dimensions of [2, 3]");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::transpose(b, t, {1}); }),
            "transpose: order [1] is no permutation of the dimensions of [2, 3]");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::reshape(b, t, {4, 2}); }),
            "reshape: shapes [2, 3] and [4, 2] differ in their number of elements");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::reshape(b, t, {-2, -3}); }),
            "reshape: shapes [2, 3] and [-2, -3] differ in their number of elements");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::expand(b, t, {4, 3}); }),
            "expand: shapes [2, 3] and [4, 3] do not broadcast");
  EXPECT_EQ(refusal_of({1}, [](auto& b, auto& t) { return ops::expand(b, t, {0}); }),
            "expand: expected positive extents and at most 2^40 elements, got shape [0]");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::tile(b, t, {2}); }),
            "tile: 1 entries for the dimensions of [2, 3]");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::tile(b, t, {2, 0}); }),
            "tile: repeats [2, 0]; expected positive ones and at most 2^40 elements");
}

TEST(Rearrange, RefusesRangesAndPaddingThatLeaveNothing) {
  const Shape x = {2, 3};
  EXPECT_EQ(
      refusal_of(
          x, [](auto& b, auto& t) { return ops::slice(b, t, {{.dim = 1, .start = 2, .end = 1}}); }),
      "slice: range 2:1:1 of extent 3 is empty");
  EXPECT_EQ(
      refusal_of(x, [](auto& b, auto& t) { return ops::slice(b, t, {{.end = 1, .step = 0}}); }),
      "slice: range 0:1:0 of extent 2 is empty");
  EXPECT_EQ(
      refusal_of(x, [](auto& b, auto& t) { return ops::slice(b, t, {{.dim = 0}, {.dim = -2}}); }),
      "slice: dimensions [0, -2] name one twice");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::pad(b, t, {0}, {0, 0}, real(0)); }),
            "pad: 1 entries for the dimensions of [2, 3]");
  EXPECT_EQ(
      refusal_of(x, [](auto& b, auto& t) { return ops::pad(b, t, {0, -3}, {0, 0}, real(0)); }),
      "pad: expected positive extents and at most 2^40 elements, got shape [2, 0]");
  EXPECT_EQ(refusal_of(x,
                       [](auto& b, auto& t) {
                         return ops::pad(b, t, {0, std::numeric_limits<std::int64_t>::max()},
                                         {0, 1}, real(0));
                       }),
            "pad: padding [0, 9223372036854775807] and [0, 1]; expected at most 2^40 elements");
}

TEST(Rearrange, RefusesPartsAndIndicesThatDoNotFit) {
  const Shape x = {2, 3};
  EXPECT_EQ(refusal_of(x, [](auto& b, auto&) { return ops::concat(b, {}, 0); }),
            "concat: expected at least one part");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::concat(b, {t}, 2); }),
            "concat: no dimension 2 in rank 2");
  EXPECT_EQ(
      refusal_of(x, [](auto& b, auto& t) { return ops::concat(b, {t, b.input("y", {3, 3})}, 1); }),
      "concat: parts f32[2, 3] and f32[3, 3] do not fit along dimension 1");
  EXPECT_EQ(refusal_of(x,
                       [](auto& b, auto& t) {
                         return ops::concat(b, {t, b.input("y", {2, 3}, DType::I64)}, 1);
                       }),
            "concat: parts f32[2, 3] and i64[2, 3] do not fit along dimension 1");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::gather(b, t, b.input("y", {2})); }),
            "gather: expected i32 or i64 indices, got f32");
  EXPECT_EQ(refusal_of(x, [](auto& b, auto& t) { return ops::gather(b, t, t, 2); }),
            "gather: no dimension 2 in rank 2");
}

}  // namespace
}  // namespace tessera
