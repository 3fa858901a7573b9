#include "lower/separate_constants.h"

#include "support/golden.h"
#include "support/parsed.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(SeparateConstants, MovesNestsThatReadOnlyConstants) {
  const Separated got = separate_constants(parsed_program(R"(program scaled scheduled
input A f32[4] layout [0]
constant W f32[4] layout [0]
output C f32[4] layout [0]
table T f32[1] = [2.0]
body
alloc V f32[4] global layout [0] {
  alloc U f32[4] constant layout [0] {
    for V.i in 4 {
      V[V.i] = W[V.i] * T[0]
    }
    for U.i in 4 {
      U[U.i] = V[U.i] + 1.0
    }
    for C.i in 4 {
      C[C.i] = A[C.i] * U[C.i]
    }
  }
}
)"));
  ASSERT_TRUE(got.prepare);
  expect_golden(to_text(got.main) + "\n" + to_text(*got.prepare));
}

TEST(SeparateConstants, LeavesOutputsWhereTheyAre) {
  const Program program = parsed_program(R"(program doubled scheduled
constant W f32[4] layout [0]
output C f32[4] layout [0]
body
for C.i in 4 {
  C[C.i] = W[C.i] * 2.0
}
)");
  const Separated got = separate_constants(program);
  EXPECT_EQ(got.main, program);
  EXPECT_FALSE(got.prepare);
}

TEST(SeparateConstants, FindsNothingInAPlainProgram) {
  const Program program = parsed_program(R"(program doubled scheduled
input A f32[4] layout [0]
output C f32[4] layout [0]
body
for C.i in 4 {
  C[C.i] = A[C.i] * 2.0
}
)");
  EXPECT_EQ(separate_constants(program).main, program);
  EXPECT_FALSE(separate_constants(program).prepare);
}

}  // namespace
}  // namespace tessera
