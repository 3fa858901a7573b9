#include "lower/drop_unit_loops.h"

#include "support/golden.h"
#include "support/interpreted.h"
#include "support/parsed.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(DropUnitLoops, PutsZeroInPlaceOfTheAxis) {
  const Program program = parsed_program(R"(program sum scheduled
input A f32[4, 8] layout [0 1]
output C f32[4] layout [0]
body
for C.i.0 in 1 parallel {
  for C.i.1 in 4 {
    for C.k.0 in 2 reduce C {
      for C.k.1 in 4 reduce C {
        for C.j in 1 vector 1 {
          C[C.i.0 * 4 + C.i.1 + C.j] += A[C.i.0 * 4 + C.i.1, C.k.0 * 4 + C.k.1]
        }
      }
    }
  }
}
)");
  const Program got = drop_unit_loops(program);
  expect_golden(to_text(got));
  EXPECT_FALSE(difference(got, program, 1));
}

TEST(DropUnitLoops, DropsAReductionOfOneElement) {
  const Program program = parsed_program(R"(program copy scheduled
input A f32[4, 1] layout [0 1]
output C f32[4] layout [0]
body
for C.i in 4 {
  for C.k in 1 reduce C {
    C[C.i] += A[C.i, C.k]
  }
}
)");
  const Program got = drop_unit_loops(program);
  EXPECT_EQ(to_text(got.body), "for C.i in 4 {\n  C[C.i] += A[C.i, 0]\n}\n");
  EXPECT_FALSE(difference(got, program, 1));
}

}  // namespace
}  // namespace tessera
