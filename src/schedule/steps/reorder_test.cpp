#include "support/expect_step.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Reorder, PutsLoopsInTheOrderGiven) {
  expect_golden_program(matmul(4, 6, 8), {Reorder{{"C.k", "C.i", "C.j"}}});
}

TEST(Reorder, KeepsThePlaceOfLoopsThatAreNotNamed) {
  expect_golden_program(matmul(4, 6, 8), {Reorder{{"C.k", "C.i"}}});
}

TEST(Reorder, MovesShortRoundsWithTheirLoop) {
  expect_same(matmul(10, 7, 9), {Split{"C.i", {4}}, Split{"C.k", {4}},
                                 Reorder{{"C.i.0", "C.k.0", "C.j", "C.k.1", "C.i.1"}}});
}

TEST(Reorder, Refuses) {
  const Computation c = softmax(4, 10);
  expect_refusal(c, {Reorder{{"M.i"}}}, "reorder M.i: needs two axes or more");
  expect_refusal(c, {Reorder{{}}}, "reorder: needs two axes or more");
  expect_refusal(c, {Reorder{{"M.i", "M.z"}}}, "reorder M.i M.z: no axis M.z");
  expect_refusal(c, {Reorder{{"M.i", "M.k", "M.i"}}},
                 "reorder M.i M.k M.i: an axis is named twice");
  expect_refusal(c, {Reorder{{"M.k", "E.i"}}},
                 "reorder M.k E.i: the loops are not perfectly nested");
  expect_refusal(c, {Split{"M.k", {4}}, Reorder{{"M.k.1", "M.k.0"}}},
                 "reorder M.k.1 M.k.0: the extent of M.k.1 depends on M.k.0");
}

TEST(Reorder, RefusesAParallelLoopInsideAVector) {
  expect_refusal(matmul(8, 8, 8), {Parallel{"C.i"}, Vectorize{"C.j"}, Reorder{{"C.j", "C.i"}}},
                 "reorder [C.j C.i]: loop C.i: parallel inside vector loop C.j");
}

TEST(Jam, MovesTheInnerPartInside) {
  expect_golden_program(matmul(8, 6, 8), {Jam{.axis = "C.i", .factor = 4}});
}

TEST(Jam, ShortensTheLastRound) {
  expect_golden_program(matmul(10, 6, 8), {Jam{.axis = "C.i", .factor = 4}});
}

TEST(Jam, OfTheInnermostLoopUnrollsIt) {
  expect_golden_program(matmul(8, 6, 8), {Jam{.axis = "C.k", .factor = 2}});
}

TEST(Jam, Refuses) {
  const Computation c = matmul(80, 8, 8);
  expect_refusal(c, {Jam{"C.z", 2}}, "jam: split C.z: no such axis");
  expect_refusal(c, {Jam{"C.i", 0}}, "jam: split C.i: factors [0] are not within extent 80");
  expect_refusal(c, {Jam{"C.i", 70}}, "jam: unroll C.i.1: extent 70 exceeds 64");
  expect_refusal(c, {Split{"C.j", {3}}, Jam{"C.j.0", 2}},
                 "jam: reorder C.j.1 C.k C.j.0.1: the extent of C.j.1 depends on C.j.0.1");
}

}  // namespace
}  // namespace tessera
