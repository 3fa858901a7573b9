#include "ops/softmax.h"

#include "ops/op_test.h"

#include <cmath>

namespace tessera {
namespace {

TEST(Softmax, NormalisesAlongADimension) {
  for (const std::int64_t dim : {0, 1, -1}) {
    const std::size_t d = dim < 0 ? 2 : static_cast<std::size_t>(dim);
    const Shape shape = {3, 4, 5};
    ComputationBuilder plain, logarithmic;
    plain.output(ops::softmax(plain, plain.input("x", shape), dim));
    logarithmic.output(ops::log_softmax(logarithmic, logarithmic.input("x", shape), dim));
    const Evaluated run(plain), log_run(logarithmic);
    const auto share = [&](Shape at) {
      const double own = std::exp(run("x", at));
      double sum = 0;
      for (at[d] = 0; at[d] < shape[d]; ++at[d]) sum += std::exp(run("x", at));
      return own / sum;
    };
    run.expect_each(share);
    log_run.expect_each([&](const Shape& at) { return std::log(share(at)); });
  }
}

TEST(Softmax, DoesNotOverflow) {
  ComputationBuilder builder;
  builder.output(ops::softmax(builder, builder.input("x", {2})));
  const Evaluated run(builder, {{"x", {1000, 1000}}});
  run.expect_each([](const Shape&) { return 0.5; });
}

TEST(Softmax, HasFourStages) {
  ComputationBuilder builder;
  builder.output(ops::softmax(builder, builder.input("x", {3, 4})));
  const Evaluated run(builder);
  std::vector<std::string> names;
  for (const Stage& stage : run.computation().stages) names.push_back(stage.tensor.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"softmax_max", "softmax_exp", "softmax_sum", "softmax"}));
}

TEST(Softmax, RefusesWhatItCannotNormalise) {
  ComputationBuilder outside, integer;
  outside.output(ops::softmax(outside, outside.input("x", {3, 4}), 2));
  integer.output(ops::log_softmax(integer, integer.input("x", {3}, DType::I64)));
  EXPECT_EQ(refusal(outside), "softmax: no dimension 2 in rank 2");
  EXPECT_EQ(refusal(integer), "log_softmax: not defined for i64");
}

}  // namespace
}  // namespace tessera
