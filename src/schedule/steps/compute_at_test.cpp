#include "ir/text.h"
#include "support/expect_step.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// D[i, j] = exp(X[i, j]) guarded by j < 6, of a stage P that has only six columns.
Computation guarded() {
  return *parse_computation(
      "computation guarded\ninput X f32[4, 6]\nstage P f32[i:4, j:6] = exp(X[i, j])\n"
      "stage D f32[i:4, j:9] = select(j < 6, P[i, j], 1.0)\noutput D\n");
}

TEST(ComputeAt, ComputesWhatTheBodyReads) {
  expect_golden_program(
      doubled_exp(16),
      {Split{"D.i", {8}}, ComputeAt{.stage = "P", .axis = "D.i.0", .memory = Memory::Stack}});
}

TEST(ComputeAt, FollowsTheShorterLastRound) {
  expect_golden_program(doubled_exp(13),
                        {Split{"D.i", {8}}, ComputeAt{"P", "D.i.0", Memory::Register}});
}

TEST(ComputeAt, ComputesATileOfAReduction) {
  expect_golden_program(matmul_relu(10, 32, 6), {Split{"D.i", {4}}, Split{"D.j", {16}},
                                                 Reorder{{"D.i.0", "D.j.0", "D.i.1", "D.j.1"}},
                                                 ComputeAt{"C", "D.j.0", Memory::Register}});
}

TEST(ComputeAt, GuardsWhatLiesBeforeTheTensor) {
  const Computation c = *parse_computation(
      "computation padded\ninput X f32[6]\nstage P f32[i:6] = exp(X[i])\n"
      "stage D f32[i:6] = select(0 <= i - 1, P[i - 1], 0.0)\noutput D\n");
  expect_golden_program(c, {Split{"D.i", {2}}, ComputeAt{"P", "D.i.0", Memory::Stack}});
}

TEST(ComputeAt, ComputesNothingPastTheEndOfTheTensor) {
  for (const AxisId axis : {"D.i", "D.j"})
    expect_same(guarded(), {ComputeAt{"P", axis, Memory::Stack}});
  expect_same(guarded(), {Split{"D.j", {4}}, ComputeAt{"P", "D.j.0", Memory::Stack}});
}

TEST(ComputeAt, WorksAtEveryLoopOfARow) {
  expect_same(softmax(5, 9),
              {ComputeAt{"S", "D.i", Memory::Register}, ComputeAt{"E", "D.i", Memory::Stack},
               ComputeAt{"M", "D.i", Memory::Register}});
}

TEST(ComputeAt, Refuses) {
  const Computation c = matmul_relu(4, 8, 6);
  const Memory stack = Memory::Stack;
  expect_refusal(c, {ComputeAt{"A", "D.i", stack}}, "compute_at A D.i: no nest computes A");
  expect_refusal(c, {Split{"C.i", {2}}, ComputeAt{"C", "D.i", stack}},
                 "compute_at C D.i: the loops of C were changed already");
  expect_refusal(c, {ComputeAt{"D", "C.i", stack}}, "compute_at D C.i: D is an output");
  expect_refusal(c, {ComputeAt{"C", "D.i", Memory::Constant}},
                 "compute_at C D.i: constant memory cannot be written");
  expect_refusal(c, {ComputeAt{"C", "D.z", stack}}, "compute_at C D.z: no axis D.z");
  expect_refusal(c, {ComputeAt{"C", "C.i", stack}},
                 "compute_at C C.i: the loop is of the stage itself");
  expect_refusal(softmax(4, 8), {ComputeAt{"E", "D.i", stack}},
                 "compute_at E D.i: E is also read outside the loop");
  expect_refusal(softmax(4, 8), {ComputeAt{"S", "E.i", stack}},
                 "compute_at S E.i: S is also read outside the loop");
}

TEST(ComputeAt, RefusesALoopThatDoesNotReadTheStage) {
  const Computation unread = *parse_computation(
      "computation unread\ninput A f32[4]\nstage P f32[i:4] = exp(A[i])\n"
      "stage D f32[i:4] = A[i]\noutput D\n");
  expect_refusal(unread, {ComputeAt{"P", "D.i", Memory::Stack}},
                 "compute_at P D.i: the loop does not read P");
}

TEST(ComputeAt, RefusesAPartOfALoopThatDoesNotCoverTheTensor) {
  expect_refusal(
      row_sum(4, 13),
      {Split{"S.k", {8}}, Factor{"S", {"S.k.1"}}, ComputeAt{"S.part", "S.k.1", Memory::Register}},
      "compute_at S.part S.k.1: loop S.part.k.1 does not cover S.part and is only "
      "needed in part");
}

TEST(Inline, PutsTheExpressionInPlaceOfLoads) {
  expect_golden_program(doubled_exp(16), {Inline{"P"}});
}

TEST(Inline, ReachesEveryReader) { expect_golden_program(softmax(4, 8), {Inline{"E"}}); }

TEST(Inline, Refuses) {
  expect_refusal(doubled_exp(16), {Inline{"A"}}, "inline A: no nest computes A");
  expect_refusal(doubled_exp(16), {Inline{"D"}}, "inline D: D is an output");
  expect_refusal(matmul_relu(4, 8, 6), {Inline{"C"}}, "inline C: the stage reduces");
  expect_refusal(doubled_exp(16), {Split{"P.i", {4}}, Inline{"P"}},
                 "inline P: the loops of the stage were changed already");
  expect_refusal(doubled_exp(13),
                 {Split{"D.i", {8}}, ComputeAt{"P", "D.i.0", Memory::Stack}, Inline{"P"}},
                 "inline P: the loops of the stage were changed already");
}

}  // namespace
}  // namespace tessera
