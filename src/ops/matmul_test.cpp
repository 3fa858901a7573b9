#include "ops/matmul.h"

#include "ops/op_test.h"

namespace tessera {
namespace {

class MatmulTransposes : public testing::TestWithParam<ops::MatmulOptions> {};

TEST_P(MatmulTransposes, MultiplyMatrices) {
  const bool transpose_a = GetParam().transpose_a, transpose_b = GetParam().transpose_b;
  ComputationBuilder builder;
  const TensorId a = builder.input("a", transpose_a ? Shape{5, 3} : Shape{3, 5});
  const TensorId b = builder.input("b", transpose_b ? Shape{7, 5} : Shape{5, 7});
  builder.output(ops::matmul(builder, a, b, GetParam()));
  const Evaluated run(builder);
  EXPECT_EQ(run.shape(), (Shape{3, 7}));
  run.expect_each([&](const Shape& at) {
    double sum = 0;
    for (std::int64_t k = 0; k < 5; ++k)
      sum += run("a", transpose_a ? Shape{k, at[0]} : Shape{at[0], k}) *
             run("b", transpose_b ? Shape{at[1], k} : Shape{k, at[1]});
    return sum;
  });
}

INSTANTIATE_TEST_SUITE_P(All, MatmulTransposes,
                         testing::Values(ops::MatmulOptions{false, false},
                                         ops::MatmulOptions{false, true},
                                         ops::MatmulOptions{true, false},
                                         ops::MatmulOptions{true, true}));

TEST(Matmul, BroadcastsBatches) {
  ComputationBuilder builder;
  const TensorId a = builder.input("a", {2, 1, 3, 5}), b = builder.input("b", {4, 5, 7});
  builder.output(ops::matmul(builder, a, b));
  const Evaluated run(builder);
  EXPECT_EQ(run.shape(), (Shape{2, 4, 3, 7}));
  run.expect_each([&](const Shape& at) {
    double sum = 0;
    for (std::int64_t k = 0; k < 5; ++k)
      sum += run("a", {at[0], 0, at[2], k}) * run("b", {at[1], k, at[3]});
    return sum;
  });
}

TEST(Matmul, TakesAVectorOnEitherSide) {
  ComputationBuilder left, right, both;
  left.output(ops::matmul(left, left.input("a", {5}), left.input("b", {2, 5, 7})));
  right.output(ops::matmul(right, right.input("a", {3, 5}), right.input("b", {5})));
  both.output(ops::matmul(both, both.input("a", {5}), both.input("b", {5})));
  const Evaluated row(left), column(right), dot(both);
  EXPECT_EQ(row.shape(), (Shape{2, 7}));
  EXPECT_EQ(column.shape(), Shape{3});
  EXPECT_EQ(dot.shape(), Shape{});
  row.expect_each([&](const Shape& at) {
    double sum = 0;
    for (std::int64_t k = 0; k < 5; ++k) sum += row("a", {k}) * row("b", {at[0], k, at[1]});
    return sum;
  });
  column.expect_each([&](const Shape& at) {
    double sum = 0;
    for (std::int64_t k = 0; k < 5; ++k) sum += column("a", {at[0], k}) * column("b", {k});
    return sum;
  });
  dot.expect_each([&](const Shape&) {
    double sum = 0;
    for (std::int64_t k = 0; k < 5; ++k) sum += dot("a", {k}) * dot("b", {k});
    return sum;
  });
}

std::string refusal_of(const Shape& a, const Shape& b, const ops::MatmulOptions& options = {},
                       DType dtype = DType::F32) {
  ComputationBuilder builder;
  builder.output(
      ops::matmul(builder, builder.input("a", a), builder.input("b", b, dtype), options));
  return refusal(builder);
}

TEST(Matmul, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(refusal_of({128, 768}, {512, 64}), "matmul: inner extents 768 and 512 differ");
  EXPECT_EQ(refusal_of({2, 3, 4}, {3, 4, 5}), "matmul: batch shapes [2] and [3] do not broadcast");
  EXPECT_EQ(refusal_of({}, {4}), "matmul: shapes [] and [4]; expected no scalar");
  EXPECT_EQ(refusal_of({4}, {4}, {.transpose_a = true, .transpose_b = false}),
            "matmul: shapes [4] and [4]; a vector has no transpose");
}

TEST(Matmul, RefusesDtypesWithoutMeaning) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {2, 2}, DType::Bool);
  builder.output(ops::matmul(builder, x, x));
  EXPECT_EQ(refusal(builder), "matmul: not defined for bool");
  EXPECT_EQ(refusal_of({2, 3}, {3, 4}, {}, DType::I64), "matmul: dtypes f32 and i64 differ");
}

}  // namespace
}  // namespace tessera
