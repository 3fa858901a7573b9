#include "support/random_task.h"

#include "ir/interpret.h"
#include "ir/text.h"
#include "tensor/host_buffer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera {
namespace {

TEST(RandomComputation, ReadsBackAndEvaluatesToNumbers) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Rng rng(seed);
    const Computation drawn = random_computation(rng);
    const std::string shown = "seed " + std::to_string(seed) + "\n" + to_text(drawn);
    EXPECT_EQ(drawn, *parse_computation(to_text(drawn))) << shown;
    EXPECT_LE(flops(drawn), 40'000) << shown;

    std::vector<HostBuffer> operands;
    for (const Operand& operand : drawn.operands)
      fill_random(operands.emplace_back(operand.tensor.dtype, element_count(operand.tensor.shape)),
                  rng);
    const Result<std::vector<HostBuffer>> outputs = evaluate(drawn, operands);
    ASSERT_TRUE(outputs) << outputs.error().message << "\n" << shown;
    for (const HostBuffer& output : *outputs)
      for (std::int64_t n = 0; n < output.element_count(); ++n)
        ASSERT_FALSE(std::isnan(output.get(n))) << shown;
  }
}

TEST(RandomComputation, DrawsTheSameForOneSeed) {
  Rng first(11), second(11);
  EXPECT_EQ(random_computation(first), random_computation(second));
}

}  // namespace
}  // namespace tessera
