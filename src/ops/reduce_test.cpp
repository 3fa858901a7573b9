#include "ops/reduce.h"

#include "ops/op_test.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

double reduced_directly(Reduction reduction, const std::vector<double>& values) {
  double sum = 0, product = 1, absolute = 0, squares = 0;
  for (const double v : values) sum += v, product *= v, absolute += std::abs(v), squares += v * v;
  switch (reduction) {
    case Reduction::Sum:
      return sum;
    case Reduction::Mean:
      return sum / static_cast<double>(values.size());
    case Reduction::Prod:
      return product;
    case Reduction::Max:
      return std::ranges::max(values);
    case Reduction::Min:
      return std::ranges::min(values);
    case Reduction::L1:
      return absolute;
    case Reduction::L2:
      return std::sqrt(squares);
  }
  return 0;
}

constexpr Reduction all[] = {Reduction::Sum, Reduction::Mean, Reduction::Prod, Reduction::Max,
                             Reduction::Min, Reduction::L1,   Reduction::L2};

TEST(Reduce, RunsOverAnyDimensions) {
  for (const Reduction reduction : all) {
    ComputationBuilder builder;
    const TensorId x = builder.input("x", {3, 4, 5});
    builder.output(ops::reduce(builder, reduction, x, {.dims = {-1, 0}}));
    const Evaluated run(builder);
    EXPECT_EQ(run.shape(), Shape{4});
    run.expect_each([&](const Shape& at) {
      std::vector<double> values;
      for_each_index({3, 5},
                     [&](const Shape& r) { values.push_back(run("x", {r[0], at[0], r[1]})); });
      return reduced_directly(reduction, values);
    });
  }
}

TEST(Reduce, KeepsDimensionsWhenAsked) {
  for (const Reduction reduction : all) {
    ComputationBuilder builder;
    const TensorId x = builder.input("x", {3, 4, 5});
    builder.output(ops::reduce(builder, reduction, x, {.dims = {0, 2}, .keeps_dims = true}));
    const Evaluated run(builder);
    EXPECT_EQ(run.shape(), (Shape{1, 4, 1}));
    run.expect_each([&](const Shape& at) {
      std::vector<double> values;
      for_each_index({3, 5},
                     [&](const Shape& r) { values.push_back(run("x", {r[0], at[1], r[1]})); });
      return reduced_directly(reduction, values);
    });
  }
}

TEST(Reduce, ReducesAllDimensionsWithoutAList) {
  ComputationBuilder builder;
  builder.output(ops::reduce(builder, Reduction::Sum, builder.input("x", {3, 4}, DType::I64)));
  const Evaluated run(builder);
  EXPECT_EQ(run.shape(), Shape{});
  run.expect_each([&](const Shape&) {
    double sum = 0;
    for_each_index({3, 4}, [&](const Shape& at) { sum += run("x", at); });
    return sum;
  });
}

TEST(Reduce, ReducesUnitDimensionsAgain) {
  ComputationBuilder builder;
  const ops::ReduceOptions kept{.dims = {}, .keeps_dims = true};
  const TensorId once = ops::reduce(builder, Reduction::Max, builder.input("x", {3, 4}), kept);
  builder.output(ops::reduce(builder, Reduction::Mean, once, kept));
  const Evaluated run(builder);
  EXPECT_EQ(run.shape(), (Shape{1, 1}));
}

TEST(Reduce, LeavesAScalarAlone) {
  ComputationBuilder builder;
  builder.output(ops::reduce(builder, Reduction::Max, builder.input("x", {})));
  const Evaluated run(builder);
  run.expect_each([&](const Shape&) { return run("x", {}); });
}

std::string refusal_of(Reduction reduction, const std::vector<std::int64_t>& dims,
                       DType dtype = DType::F32) {
  ComputationBuilder builder;
  builder.output(
      ops::reduce(builder, reduction, builder.input("x", {3, 4}, dtype), {.dims = dims}));
  return refusal(builder);
}

TEST(Reduce, RefusesDimensionsThatDoNotExist) {
  EXPECT_EQ(refusal_of(Reduction::Sum, {2}), "reduce: no dimension 2 in rank 2");
  EXPECT_EQ(refusal_of(Reduction::Sum, {-3}), "reduce: no dimension -3 in rank 2");
  EXPECT_EQ(refusal_of(Reduction::Sum, {1, -1}), "reduce: dimensions [1, -1] name one twice");
}

TEST(Reduce, RefusesDtypesWithoutMeaning) {
  EXPECT_EQ(refusal_of(Reduction::Mean, {}, DType::I64), "reduce: mean is not defined for i64");
  EXPECT_EQ(refusal_of(Reduction::Sum, {}, DType::Bool), "reduce: sum is not defined for bool");
}

TEST(Reduce, NamesReadBack) {
  for (const Reduction reduction : all) EXPECT_EQ(parse_reduction(to_text(reduction)), reduction);
  EXPECT_EQ(parse_reduction("median"), std::nullopt);
}

}  // namespace
}  // namespace tessera
