#include "lower/specialise_tails.h"

#include "lower/flatten_storage.h"
#include "lower/initialise_reductions.h"
#include "support/golden.h"
#include "support/interpreted.h"
#include "support/parsed.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// A[i] * 2 in rounds of `round`, which run as told.
Program doubled(std::int64_t extent, std::int64_t round, const std::string& kind) {
  const std::string e = std::to_string(extent), f = std::to_string(round);
  const std::string rounds = std::to_string((extent + round - 1) / round);
  return parsed_program("program doubled scheduled\ninput A f32[" + e +
                        "] layout [0]\noutput C f32[" + e + "] layout [0]\nbody\nfor C.i.0 in " +
                        rounds + " {\n  for C.i.1 in min(" + f + ", " + e + " - C.i.0 * " + f +
                        ")" + kind + " {\n    C[C.i.0 * " + f + " + C.i.1] = A[C.i.0 * " + f +
                        " + C.i.1] * 2.0\n  }\n}\n");
}

/// Copies repeat the names of loops, which only the lowered form allows.
void expect_golden_copies(const Program& program) {
  const Program got = specialise_tails(program);
  expect_golden(to_text(got));
  const auto found = difference(flatten_storage(initialise_reductions(got)), program, 1);
  EXPECT_FALSE(found) << *found;
}

TEST(SpecialiseTails, CopiesTheBodyForTheLastRound) {
  expect_golden_copies(doubled(20, 8, " vector 8"));
}

TEST(SpecialiseTails, NeedsNoCopyWhereRoundsDivide) {
  const Program got = specialise_tails(doubled(24, 8, " vector 8"));
  EXPECT_EQ(to_text(got).find("if"), std::string::npos) << to_text(got);
}

TEST(SpecialiseTails, LeavesLoopsAloneThatNeedNoConstantExtent) {
  for (const std::string kind : {"", " unroll"})
    EXPECT_EQ(specialise_tails(doubled(20, 6, kind)), doubled(20, 6, kind));
}

TEST(SpecialiseTails, TestsOnceForEverythingInsideALoop) {
  expect_golden_copies(parsed_program(R"(program tile scheduled
input A f32[10, 6] layout [0 1]
output C f32[10] layout [0]
body
for C.i.0 in 3 {
  alloc T f32[4] register layout [0] {
    for T.k in 6 reduce T {
      for T.i in min(4, 10 - C.i.0 * 4) unroll {
        T[T.i] += A[C.i.0 * 4 + T.i, T.k]
      }
    }
    for C.i.1 in min(4, 10 - C.i.0 * 4) unroll {
      C[C.i.0 * 4 + C.i.1] = T[C.i.1]
    }
  }
}
)"));
}

TEST(SpecialiseTails, HandlesTailsOfTwoLoops) {
  expect_golden_copies(parsed_program(R"(program tile scheduled
input A f32[5, 7] layout [0 1]
output C f32[5] layout [0]
body
for C.i.0 in 2 {
  for C.k.0 in 2 reduce C {
    for C.i.1 in min(3, 5 - C.i.0 * 3) vector 4 {
      for C.k.1 in min(4, 7 - C.k.0 * 4) unroll reduce C {
        C[C.i.0 * 3 + C.i.1] += A[C.i.0 * 3 + C.i.1, C.k.0 * 4 + C.k.1]
      }
    }
  }
}
)"));
}

}  // namespace
}  // namespace tessera
