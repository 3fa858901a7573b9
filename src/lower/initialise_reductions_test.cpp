#include "lower/initialise_reductions.h"

#include "support/golden.h"
#include "support/interpreted.h"
#include "support/parsed.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// One dimension is both the logical and the physical index, so that the program runs in either
/// form.
Program reduction(const std::string& body) {
  return parsed_program(
      "program reduction scheduled\ninput A f32[24] layout [0]\noutput C f32[8] layout [0]\n"
      "body\n" +
      body);
}

void expect_golden_form(const Program& program) {
  const Program got = initialise_reductions(program);
  expect_golden(to_text(got));
  const auto found = difference(got, program, 1);
  EXPECT_FALSE(found) << *found;
}

TEST(InitialiseReductions, StoresTheIdentityBeforeTheOutermostLoop) {
  expect_golden_form(reduction(R"(for C.k in 3 reduce C {
  for C.j in 8 vector 8 {
    C[C.j] += A[C.k * 8 + C.j]
  }
}
)"));
}

TEST(InitialiseReductions, StandsInsideTheLoopsThatDoNotReduce) {
  expect_golden_form(reduction(R"(for C.i in 2 parallel {
  for C.k.0 in 3 reduce C {
    for C.j in 4 {
      C[C.i * 4 + C.j] max= A[C.k.0 * 8 + C.i * 4 + C.j]
    }
  }
}
)"));
}

TEST(InitialiseReductions, TakesTheExtentsOfTheFirstRound) {
  expect_golden_form(reduction(R"(for C.k in 2 reduce C {
  for C.j in min(8, 13 - C.k * 8) {
    C[C.j] += A[C.k * 8 + C.j]
  }
}
)"));
}

TEST(InitialiseReductions, AssignsWhereNoLoopReduces) {
  expect_golden_form(reduction(R"(for C.j in 8 {
  C[C.j] *= A[C.j]
}
)"));
}

TEST(InitialiseReductions, LeavesOutWhatStoresSomethingElse) {
  expect_golden_form(reduction(R"(for C.k in 3 reduce C {
  alloc P f32[8] stack layout [0] {
    for P.j in 8 {
      P[P.j] = A[C.k * 8 + P.j] * 2.0
    }
    for C.j in 8 {
      if C.j < 6 {
        C[C.j] += P[C.j]
      } else {
        C[C.j] += 1.0
      }
    }
  }
}
)"));
}

}  // namespace
}  // namespace tessera
