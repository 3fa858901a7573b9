#include "ops/builder.h"

#include "ir/text.h"
#include "ops/activation.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/op_test.h"
#include "support/golden.h"

namespace tessera {
namespace {

TEST(ComputationBuilder, ChainsOpsIntoOneComputation) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {128, 768});
  const TensorId w = builder.constant("w", {768, 512});
  const TensorId bias = builder.constant("b", {512});
  builder.output(ops::relu(builder, ops::add_bias(builder, ops::matmul(builder, x, w), bias)));
  const Result<Computation> dense = builder.finish("dense");
  ASSERT_TRUE(dense) << dense.error().message;
  expect_golden(to_text(*dense));
}

TEST(ComputationBuilder, MakesNamesUniqueIdentifiers) {
  ComputationBuilder builder;
  const TensorId x = builder.input("/layer.0/x", {4});
  EXPECT_EQ(x, "_layer_0_x");
  EXPECT_EQ(builder.input("3", {4}), "_3");
  EXPECT_EQ(builder.input("if", {4}), "if_");
  EXPECT_EQ(ops::relu(builder, x), "relu");
  EXPECT_EQ(ops::relu(builder, x), "relu_2");
  EXPECT_EQ(ops::relu(builder, x), "relu_3");
}

TEST(ComputationBuilder, GivesTheFirstRefusal) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {2, 3});
  const TensorId wrong = ops::matmul(builder, x, x, {}, "first");
  builder.output(ops::relu(builder, ops::matmul(builder, wrong, wrong, {}, "second")));
  EXPECT_EQ(refusal(builder), "first: inner extents 3 and 2 differ");
}

TEST(ComputationBuilder, RefusesShapesThatNoMachineHolds) {
  ComputationBuilder empty, huge;
  empty.input("x", {2, 0});
  huge.input("x", {1 << 30, 1 << 30});
  EXPECT_EQ(refusal(empty),
            "x: expected positive extents and at most 2^40 elements, got shape [2, 0]");
  EXPECT_EQ(
      refusal(huge),
      "x: expected positive extents and at most 2^40 elements, got shape [1073741824, 1073741824]");
}

TEST(ComputationBuilder, RefusesATableOfTheWrongSize) {
  ComputationBuilder builder;
  builder.table("t", {3}, {1, 2});
  EXPECT_EQ(refusal(builder), "t: 2 values for shape [3]");
}

TEST(ComputationBuilder, ReadsTables) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {2, 3});
  builder.output(ops::mul(builder, x, builder.table("t", {3}, {1, 2, 3})));
  const Evaluated run(builder);
  run.expect_each([&](const Shape& at) { return run("x", at) * static_cast<double>(at[1] + 1); });
}

TEST(ComputationBuilder, CarriesAxisNamesAlongAChain) {
  ComputationBuilder builder;
  const TensorId x = builder.input("x", {2, 3}), w = builder.input("w", {5, 3, 4});
  const TensorId y = ops::relu(builder, ops::matmul(builder, x, w));
  std::vector<std::string> names;
  for (const Axis& a : builder.axes(y)) names.push_back(a.name);
  EXPECT_EQ(names, (std::vector<std::string>{"b0", "i", "j"}));
}

}  // namespace
}  // namespace tessera
