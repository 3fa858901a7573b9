#include "extract/permute_result.h"

#include "base/check.h"
#include "base/rng.h"
#include "ir/interpret.h"
#include "ir/text.h"
#include "tensor/compare.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// A product of heads and a second stage as given.
Computation product_and(const std::string& stage, const std::string& outputs = "output D\n") {
  const Result<Computation> parsed = parse_computation(
      "computation c\ninput A f32[3, 5, 4]\ninput B f32[3, 4, 8]\n"
      "stage C f32[h:3, m:5, n:8] = sum[k:4] A[h, m, k] * B[h, k, n]\n" +
      stage + "\n" + outputs);
  check(parsed.has_value(), parsed ? "" : parsed.error().message);
  return *parsed;
}

HostBuffer result_of(const Computation& computation) {
  Rng rng(1);
  std::vector<HostBuffer> operands;
  for (const Operand& operand : computation.operands)
    fill_random(operands.emplace_back(DType::F32, element_count(operand.tensor.shape)), rng);
  return std::move(evaluate(computation, operands)->front());
}

TEST(PermuteResult, ReducesInTheOrderOfTheResult) {
  const Computation before = product_and("stage D f32[a:5, b:3, c:8] = C[b, a, c]");
  const Computation after = permute_result(before);
  EXPECT_EQ(to_text(after),
            "computation c\ninput A f32[3, 5, 4]\ninput B f32[3, 4, 8]\n"
            "stage D f32[m:5, h:3, n:8] = sum[k:4] A[h, m, k] * B[h, k, n]\noutput D\n");
  EXPECT_TRUE(compare(result_of(after), result_of(before), {}).equal);
}

TEST(PermuteResult, LeavesOtherStages) {
  for (const std::string stage :
       {"stage D f32[a:3, b:8, c:5] = C[a, c, b]",        // columns become rows
        "stage D f32[a:5, b:3, c:8] = C[b, a, c] * 2.0",  // more than moved
        "stage D f32[a:5, b:2, c:8] = C[b + 1, a, c]",    // a part
        "stage D f32[a:5, c:8] = C[0, a, c]"}) {
    const Computation before = product_and(stage);
    EXPECT_EQ(permute_result(before), before) << stage;
  }
  const Computation both =
      product_and("stage D f32[a:5, b:3, c:8] = C[b, a, c]", "output C\noutput D\n");
  EXPECT_EQ(permute_result(both), both);
}

}  // namespace
}  // namespace tessera
