#include "lower/lower.h"

#include "ir/text.h"
#include "schedule/space.h"
#include "support/expect_step.h"
#include "support/golden.h"
#include "support/interpreted.h"
#include "support/random_task.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

const Target& avx2() {
  static const Target target = *parse_target("x86-avx2");
  return target;
}

std::string lowering_refusal(const Computation& computation, const Schedule& schedule) {
  const Result<Lowered> lowered = lower(scheduled(computation, schedule), avx2());
  return lowered ? "accepted" : lowered.error().message;
}

void expect_round_trip(const Program& program) {
  const Result<Program> again = parse_program(to_text(program));
  ASSERT_TRUE(again) << again.error().message << "\n" << to_text(program);
  EXPECT_EQ(*again, program);
}

TEST(Lower, TakesATiledMatmulThroughAllPasses) {
  const Schedule tile{Split{"D.i", {2}},
                      Split{"D.j", {8}},
                      Reorder{{"D.i.0", "D.j.0", "D.i.1", "D.j.1"}},
                      ComputeAt{"C", "D.j.0", Memory::Register},
                      Reorder{{"C.k", "C.i", "C.j"}},
                      Unroll{"C.i"},
                      Vectorize{"C.j"},
                      Unroll{"D.i.1"},
                      Vectorize{"D.j.1"},
                      ChooseLayout{"B", *parse_layout("[1/8 0 1%8]")}};
  const Result<Lowered> lowered = lower(scheduled(matmul_relu(4, 16, 6), tile), avx2());
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_FALSE(lowered->prepare);
  expect_golden(to_text(lowered->main));
}

TEST(Lower, PreparesTheWeightsOfWinograd) {
  const Computation c = conv({.inputs = 2, .outputs = 2, .size = 4});
  const Program program = scheduled(c, {ChooseAlgorithm{"C", Algorithm::Winograd2}});
  const Result<Lowered> lowered = lower(program, avx2());
  ASSERT_TRUE(lowered) << lowered.error().message;
  ASSERT_TRUE(lowered->prepare);
  expect_golden(to_text(*lowered->prepare));
  const auto found = difference(*lowered, to_program(c), 1, {.absolute = 1e-4, .relative = 1e-4});
  EXPECT_FALSE(found) << *found;
}

TEST(Lower, KeepsWhatDrawsOfRandomTasksCompute) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    const Task task{random_computation(rng), avx2()};
    const Space space(task);
    const Schedule schedule = draw(space, rng).draft.schedule;
    const Result<Lowered> lowered = lower(scheduled(task.computation, schedule), task.target);
    const std::string report =
        "seed " + std::to_string(seed) + "\n" + to_text(task.computation) + to_text(schedule);
    ASSERT_TRUE(lowered) << lowered.error().message << "\n" << report;
    expect_round_trip(lowered->main);
    if (lowered->prepare) expect_round_trip(*lowered->prepare);
    const auto found = difference(*lowered, to_program(task.computation), seed,
                                  {.absolute = 2e-3, .relative = 2e-3});
    ASSERT_FALSE(found) << *found << "\n" << report;
  }
}

TEST(Lower, RefusesWhatTheTargetCannotHold) {
  EXPECT_EQ(lowering_refusal(doubled_exp(256), {ComputeAt{"P", "D.i", Memory::Register}}),
            "accepted");
  EXPECT_EQ(lowering_refusal(doubled_exp(256),
                             {Split{"D.i", {256}}, ComputeAt{"P", "D.i.0", Memory::Register}}),
            "program doubled_exp: register tensors need 32 vector registers, x86-avx2 has 16");
  EXPECT_EQ(lowering_refusal(doubled_exp(1 << 20),
                             {Split{"D.i", {1 << 19}}, ComputeAt{"P", "D.i.0", Memory::Stack}}),
            "program doubled_exp: stack tensors need 2097152 bytes, x86-avx2 allows 1048576");
}

TEST(Lower, RefusesRegistersThatALoopIndexes) {
  const Schedule rolled{Split{"D.i", {8}}, ComputeAt{"P", "D.i.0", Memory::Register},
                        Unroll{"D.i.1"}};
  EXPECT_EQ(lowering_refusal(doubled_exp(16), rolled),
            "program doubled_exp: store to P: writes P in registers at axis P.i, expected "
            "unrolled and vector axes");
}

}  // namespace
}  // namespace tessera
