#include "measure/instance.h"

#include "ir/text.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// More than a process can address.
const std::string huge = "140737488355328";

TEST(RandomOperands, AreRefusedWithoutMemoryForThem) {
  const Computation computation =
      *parse_computation("computation sum\ninput x f32[" + huge +
                         "]\nstage y f32[i:1] = sum[k:" + huge + "] x[k]\noutput y\n");
  Rng rng(1);
  const auto operands = random_operands(computation, rng);
  ASSERT_FALSE(operands);
  EXPECT_EQ(operands.error().message, "sum: its operands take more memory than the system has");
}

TEST(Instance, IsRefusedWithoutMemoryForItsBuffers) {
  const Computation computation = *parse_computation(
      "computation spread\ninput x f32[1]\nstage y f32[i:" + huge + "] = x[0]\noutput y\n");
  Rng rng(1);
  const auto operands = random_operands(computation, rng);
  ASSERT_TRUE(operands);
  const Result<Instance> instance =
      Instance::make(to_program(computation), detect_host(), *interpret_backend(), *operands);
  ASSERT_FALSE(instance);
  EXPECT_EQ(instance.error().message, "spread: its buffers take more memory than the system has");
}

}  // namespace
}  // namespace tessera
