#include "ir/text.h"
#include "support/expect_step.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(CacheWrite, CopiesTheTensorInANestOfItsOwn) {
  expect_golden_program(matmul(4, 8, 6), {CacheWrite{"C"}});
}

TEST(CacheWrite, NumbersDimensionsAfterASplit) {
  expect_golden_program(matmul(10, 8, 6), {Split{"C.i", {4}}, CacheWrite{"C"}});
}

TEST(CacheWrite, StandsBesideAStageThatDoesNotLeave) {
  expect_same(matmul_relu(5, 7, 6), {CacheWrite{"C"}, CacheWrite{"C"}, CacheWrite{"D"}});
}

TEST(CacheWrite, Refuses) {
  const Computation c = matmul(4, 8, 6);
  expect_refusal(c, {CacheWrite{"A"}}, "cache_write A: no nest computes it");
  expect_refusal(c, {PrefetchAhead{"B", "C.j", 1}, CacheWrite{"C"}},
                 "cache_write C: its loops are not perfectly nested");
}

TEST(Factor, ReducesOverSomeLoopsLast) {
  expect_golden_program(row_sum(4, 16), {Split{"S.k", {8}}, Factor{"S", {"S.k.1"}}});
}

TEST(Factor, InitialisesInTheFullFirstRound) {
  expect_golden_program(row_sum(4, 13), {Split{"S.k", {8}}, Factor{"S", {"S.k.1"}}});
}

TEST(Factor, TakesOuterLoopsToo) {
  expect_same(matmul(5, 7, 12), {Split{"C.k", {4}}, Factor{"C", {"C.k.0"}}});
  expect_same(matmul(5, 7, 13), {Split{"C.k", {4}}, Factor{"C", {"C.k.0"}}});
}

TEST(Factor, Refuses) {
  const Computation c = row_sum(4, 13);
  expect_refusal(c, {Factor{"X", {"S.k"}}}, "factor X: no nest computes it");
  expect_refusal(c, {Factor{"S", {}}}, "factor S: no axes");
  expect_refusal(c, {Factor{"S", {"S.z"}}}, "factor S: no axis S.z");
  expect_refusal(c, {Factor{"S", {"S.i"}}}, "factor S: axis S.i does not reduce it");
  expect_refusal(c, {PrefetchAhead{"X", "S.i", 1}, Factor{"S", {"S.k"}}},
                 "factor S: its loops are not perfectly nested");
  expect_refusal(c, {Factor{"S", {"S.k", "S.k"}}}, "factor S: axis S.k is named twice");
}

TEST(Factor, RefusesPartialResultsWithoutAValue) {
  const Schedule split{Split{"S.k", {8}}};
  const auto then = [&](std::vector<Step> more) {
    Schedule schedule = split;
    schedule.insert(schedule.end(), more.begin(), more.end());
    return schedule;
  };
  const Computation c = row_sum(4, 13);
  expect_refusal(c, then({Factor{"S", {"S.k.0", "S.k.1"}}}),
                 "factor S: the extent of S.k.1 depends on S.k.0");
  expect_refusal(c, then({Factor{"S", {"S.k.1"}}, Factor{"S.part", {"S.part.k.0"}}}),
                 "factor S.part: the extent of S.part.k.1 depends on S.part.k.0");
  expect_refusal(c, then({Factor{"S", {"S.k.0"}}, Factor{"S.part", {"S.part.k.1"}}}),
                 "factor S.part: the extent of S.part.k.1 depends on S.part.k.0");
}

TEST(Factor, RefusesALoopThatVariesWithLoopsFurtherOut) {
  const Computation c = *parse_computation(
      "computation sum\ninput X f32[13]\nstage S f32[] = sum[k:13] X[k]\noutput S\n");
  expect_refusal(c, {Split{"S.k", {8}}, PrefetchAhead{"X", "S.k.0", 1}, Factor{"S", {"S.k.1"}}},
                 "factor S: the first round of S.k.1 is shorter than the others");
}

TEST(CacheRead, CopiesWhatTheBodyReads) {
  expect_golden_program(matmul(4, 32, 6),
                        {Split{"C.j", {16}}, Reorder{{"C.j.0", "C.i"}},
                         CacheRead{.tensor = "B", .axis = "C.j.0", .layout = row_major(2)}});
}

TEST(CacheRead, StopsAtTheEndOfTheTensor) {
  expect_golden_program(
      matmul(4, 20, 6),
      {Split{"C.j", {16}}, Reorder{{"C.j.0", "C.i"}},
       CacheRead{.tensor = "B", .axis = "C.j.0", .layout = *parse_layout("[1 0]")}});
}

TEST(CacheRead, CopiesZeroPadding) {
  expect_golden_program(conv({.inputs = 2, .outputs = 2, .size = 4}),
                        {CacheRead{.tensor = "I", .axis = "C.n", .layout = row_major(4)}});
}

TEST(CacheRead, CopiesGuardedReadsThatStartPastTheEnd) {
  const Computation c = *parse_computation(
      "computation pad\ninput X f32[3, 2]\n"
      "stage D f32[i:5, j:4] = select(i < 3 && j < 2, X[i, j], 0.0)\noutput D\n");
  for (const AxisId axis : {"D.i", "D.j"})
    expect_same(c, {CacheRead{"X", axis, Memory::Register, row_major(2)}});
}

TEST(CacheRead, Refuses) {
  const Computation c = matmul(4, 32, 6);
  const Layout plain = row_major(2);
  expect_refusal(c, {CacheRead{"Z", "C.i", Memory::Stack, plain}},
                 "cache_read Z C.i: no such tensor");
  expect_refusal(c, {CacheRead{"B", "C.z", Memory::Stack, plain}}, "cache_read B C.z: no axis C.z");
  expect_refusal(c, {CacheRead{"B", "C.i", Memory::Global, plain}},
                 "cache_read B C.i: memory must be stack or register");
  expect_refusal(c, {CacheRead{"C", "C.i", Memory::Stack, plain}},
                 "cache_read C C.i: the loop writes it");
  expect_refusal(softmax(4, 8), {CacheRead{"E", "M.i", Memory::Stack, plain}},
                 "cache_read E M.i: the loop does not read it");
  expect_refusal(c, {CacheRead{"B", "C.i", Memory::Stack, row_major(3)}},
                 "cache_read B C.i: layout [0 1 2] of [6, 32]: no dimension 2");
}

TEST(CacheRead, RefusesGuardedReadsOfWhatIsNotZero) {
  const Computation c = *parse_computation(
      "computation pad\ninput X f32[3]\nstage D f32[i:5] = select(i < 3, X[i], 1.0)\noutput D\n");
  expect_refusal(c, {CacheRead{"X", "D.i", Memory::Stack, row_major(1)}},
                 "cache_read X D.i: a read is not padded with zero");
}

}  // namespace
}  // namespace tessera
