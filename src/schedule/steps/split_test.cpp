#include "ir/text.h"
#include "support/expect_step.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Split, NestsTheInnerLoop) {
  expect_golden_program(matmul(8, 8, 64), {Split{.axis = "C.k", .factors = {8}}});
}

TEST(Split, ShortensTheLastRound) {
  expect_golden_program(matmul(10, 8, 12), {Split{.axis = "C.i", .factors = {4}}});
}

TEST(Split, ShortensTheLastRoundOfEachFactor) {
  expect_golden_program(matmul(23, 4, 4), {Split{.axis = "C.i", .factors = {3, 2}}});
}

TEST(Split, SplitsARoundAgain) {
  expect_golden_program(matmul(23, 4, 4), {Split{.axis = "C.i", .factors = {7}},
                                           Split{.axis = "C.i.1", .factors = {3}}});
}

TEST(Split, TakesFactorsOfOneAndOfTheWholeExtent) {
  expect_same(matmul(7, 3, 5), {Split{"C.i", {1}}, Split{"C.j", {3, 1}}, Split{"C.k", {5}}});
}

TEST(Split, ComputesTheSameForEveryFactor) {
  for (std::int64_t factor = 1; factor <= 13; ++factor)
    for (const AxisId axis : {"C.i", "C.k"})
      expect_same(matmul(13, 2, 13), {Split{axis, {factor}}});
}

TEST(Split, Refuses) {
  const Computation c = matmul(8, 8, 64);
  expect_refusal(c, {Split{"C.z", {2}}}, "split C.z: no such axis");
  expect_refusal(c, {Split{"C.i", {}}}, "split C.i: no factors");
  expect_refusal(c, {Split{"C.i", std::vector<std::int64_t>(9, 1)}},
                 "split C.i: 9 factors, expected at most 8");
  expect_refusal(c, {Unroll{"C.i"}, Split{"C.i", {2}}}, "split C.i: the loop is not serial");
}

TEST(Split, RefusesFactorsThatAreNotWithinTheExtent) {
  const Computation c = matmul(8, 8, 64);
  expect_refusal(c, {Split{"C.i", {9}}}, "split C.i: factors [9] are not within extent 8");
  expect_refusal(c, {Split{"C.i", {0}}}, "split C.i: factors [0] are not within extent 8");
  expect_refusal(c, {Split{"C.i", {-4}}}, "split C.i: factors [-4] are not within extent 8");
  expect_refusal(c, {Split{"C.i", {4, 4}}}, "split C.i: factors [4, 4] are not within extent 8");
}

TEST(Split, RefusesFactorsWhoseProductOverflows) {
  const std::int64_t extent = std::int64_t{1} << 40;
  expect_refusal(row_sum(1, extent), {Split{"S.k", {extent, extent}}},
                 "split S.k: factors [1099511627776, 1099511627776] are not within extent "
                 "1099511627776");
}

TEST(Split, RefusesANameThatIsTaken) {
  const Computation c = *parse_computation(
      "computation c\ninput A f32[4, 4]\nstage C f32[i:4, i.0:4] = A[i, i.0]\noutput C\n");
  expect_refusal(c, {Split{"C.i", {2}}}, "split C.i [2]: loop C.i.0: axis C.i.0 is defined twice");
}

TEST(Fuse, MakesOneLoopOfTwo) {
  expect_golden_program(matmul(6, 8, 4), {Fuse{.outer = "C.i", .inner = "C.j"}});
}

TEST(Fuse, UndoesASplit) {
  expect_golden_program(matmul(6, 8, 4), {Split{"C.i", {3}}, Fuse{"C.i.0", "C.i.1"}});
}

TEST(Fuse, MakesOneReductionOfTwo) {
  expect_same(conv({}), {Fuse{"C.r", "C.s"}, Fuse{"C.c", "C.r_s"}});
}

TEST(Fuse, Refuses) {
  const Computation c = matmul(10, 8, 12);
  expect_refusal(c, {Fuse{"C.i", "C.z"}}, "fuse C.i C.z: no axis C.z");
  expect_refusal(c, {Fuse{"C.z", "C.i"}}, "fuse C.z C.i: no axis C.z");
  expect_refusal(c, {Fuse{"C.i", "C.k"}}, "fuse C.i C.k: the loops are not perfectly nested");
  expect_refusal(c, {Fuse{"C.j", "C.i"}}, "fuse C.j C.i: the loops are not perfectly nested");
  expect_refusal(c, {Fuse{"C.k", "C.k"}}, "fuse C.k C.k: the loops are not perfectly nested");
  expect_refusal(c, {Unroll{"C.i"}, Fuse{"C.i", "C.j"}}, "fuse C.i C.j: the loops are not serial");
  expect_refusal(c, {Fuse{"C.j", "C.k"}}, "fuse C.j C.k: one loop reduces and the other does not");
  expect_refusal(c, {Split{"C.i", {4}}, Fuse{"C.i.0", "C.i.1"}},
                 "fuse C.i.0 C.i.1: the extents are not constant");
}

TEST(Fuse, RefusesANameThatIsTaken) {
  const Computation c = *parse_computation(
      "computation c\ninput A f32[2, 2, 2]\nstage C f32[a:2, b:2, a_b:2] = A[a, b, a_b]\n"
      "output C\n");
  expect_refusal(c, {Fuse{"C.a", "C.b"}}, "fuse C.a C.b: the name C.a_b is taken");
}

}  // namespace
}  // namespace tessera
