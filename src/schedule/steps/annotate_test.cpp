#include "support/expect_step.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Vectorize, MakesIterationsLanes) {
  expect_golden_program(matmul(4, 8, 6), {Vectorize{"C.j"}});
}

TEST(Vectorize, RoundsLanesUpToAPowerOfTwo) {
  expect_golden_program(matmul(4, 6, 6), {Vectorize{"C.j"}});
}

TEST(Vectorize, TakesLanesForTheFullRoundOfASplit) {
  expect_golden_program(matmul(4, 13, 6), {Split{"C.j", {8}}, Vectorize{"C.j.1"}});
}

TEST(Vectorize, ReducesAcrossLanes) { expect_golden_program(row_sum(4, 8), {Vectorize{"S.k"}}); }

TEST(Vectorize, Refuses) {
  const Computation c = matmul(8, 80, 8);
  expect_refusal(c, {Vectorize{"C.z"}}, "vectorize C.z: no such axis");
  expect_refusal(c, {Unroll{"C.i"}, Vectorize{"C.i"}}, "vectorize C.i: the loop is not serial");
  expect_refusal(c, {Vectorize{"C.j"}}, "vectorize C.j: extent 80 exceeds 64 lanes");
  expect_refusal(c, {Vectorize{"C.i"}, Vectorize{"C.k"}},
                 "vectorize C.k: nested in or around another vector loop");
  expect_refusal(c, {Vectorize{"C.k"}, Vectorize{"C.i"}},
                 "vectorize C.i: nested in or around another vector loop");
  expect_refusal(c, {Parallel{"C.j"}, Vectorize{"C.i"}}, "vectorize C.i: around a parallel loop");
}

TEST(Unroll, EmitsEachIteration) { expect_golden_program(matmul(4, 6, 8), {Unroll{"C.k"}}); }

TEST(Unroll, Refuses) {
  const Computation c = matmul(8, 80, 8);
  expect_refusal(c, {Unroll{"C.z"}}, "unroll C.z: no such axis");
  expect_refusal(c, {Unroll{"C.i"}, Unroll{"C.i"}}, "unroll C.i: the loop is not serial");
  expect_refusal(c, {Unroll{"C.j"}}, "unroll C.j: extent 80 exceeds 64");
  expect_refusal(c, {Parallel{"C.j"}, Unroll{"C.i"}}, "unroll C.i: around a parallel loop");
}

TEST(Parallel, SharesIterationsAmongThreads) {
  expect_golden_program(matmul(4, 6, 8), {Parallel{"C.i"}});
}

TEST(Parallel, Refuses) {
  const Computation c = matmul(8, 80, 8);
  expect_refusal(c, {Parallel{"C.z"}}, "parallel C.z: no such axis");
  expect_refusal(c, {Parallel{"C.i"}, Parallel{"C.i"}}, "parallel C.i: the loop is not serial");
  expect_refusal(c, {Parallel{"C.k"}}, "parallel C.k: the loop reduces C");
  expect_refusal(c, {Unroll{"C.i"}, Parallel{"C.j"}},
                 "parallel C.j: inside the loop C.i, which is not serial");
  expect_refusal(c, {Parallel{"C.i"}, Parallel{"C.j"}},
                 "parallel C.j: inside the loop C.i, which is not serial");
  expect_refusal(c, {Parallel{"C.j"}, Parallel{"C.i"}}, "parallel C.i: around a parallel loop");
}

}  // namespace
}  // namespace tessera
