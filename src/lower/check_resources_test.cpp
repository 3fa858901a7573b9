#include "lower/check_resources.h"

#include "support/parsed.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// One tensor in `memory` of so many elements around another, and a third beside that.
Program nested(const std::string& memory, std::int64_t outer, std::int64_t first,
               std::int64_t second) {
  const auto allocation = [&](const std::string& name, std::int64_t elements) {
    return "alloc " + name + " f32[" + std::to_string(elements) + "] " + memory + " layout [0] {\n";
  };
  const auto store = [](const std::string& name) { return name + "[0] = 1.0\n}\n"; };
  return parsed_program("program nested scheduled\noutput C f32[1] layout [0]\nbody\n" +
                        allocation("P", outer) + allocation("Q", first) + store("Q") +
                        allocation("R", second) + store("R") + store("P"));
}

std::string refusal(const Program& program, std::string_view target) {
  const Result<void> fits = check_resources(program, *parse_target(target));
  return fits ? "fits" : fits.error().message;
}

TEST(CheckResources, CountsWholeRegistersOfWhatLivesTogether) {
  const Program program = nested("register", 9, 8, 16);
  EXPECT_EQ(register_demand(program, *parse_target("x86-avx2")), 2 + 2);
  EXPECT_EQ(register_demand(program, *parse_target("x86-sse42")), 3 + 4);
  EXPECT_EQ(stack_demand(program), 0);
}

TEST(CheckResources, CountsStackInCacheLines) {
  const Program program = nested("stack", 9, 16, 17);
  EXPECT_EQ(stack_demand(program), 64 + 128);
  EXPECT_EQ(register_demand(program, *parse_target("x86-avx2")), 0);
}

TEST(CheckResources, CountsThePaddingOfALayout) {
  const Program program = parsed_program(
      "program padded scheduled\noutput C f32[1] layout [0]\nbody\n"
      "alloc P f32[4, 3] register layout [0 1+5] {\nP[0, 0] = 1.0\n}\n");
  EXPECT_EQ(register_demand(program, *parse_target("x86-avx2")), 4);
}

TEST(CheckResources, RefusesMoreRegistersThanThereAre) {
  EXPECT_EQ(refusal(nested("register", 64, 64, 8), "x86-avx2"), "fits");
  EXPECT_EQ(refusal(nested("register", 64, 65, 8), "x86-avx2"),
            "program nested: register tensors need 17 vector registers, x86-avx2 has 16");
  EXPECT_EQ(refusal(nested("register", 64, 65, 8), "x86-avx512"), "fits");
}

TEST(CheckResources, RefusesMoreStackThanIsAllowed) {
  EXPECT_EQ(refusal(nested("stack", 1024, 1024, 8), "x86-avx2 stack=8K"), "fits");
  EXPECT_EQ(refusal(nested("stack", 1024, 1025, 8), "x86-avx2 stack=8K"),
            "program nested: stack tensors need 8256 bytes, x86-avx2 allows 8192");
}

}  // namespace
}  // namespace tessera
