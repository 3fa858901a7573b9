#include "lower/flatten_storage.h"

#include "ir/verify.h"
#include "lower/initialise_reductions.h"
#include "support/golden.h"
#include "support/interpreted.h"
#include "support/parsed.h"
#include "support/random_step.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(FlattenStorage, GivesEveryAccessOneOffset) {
  const Program program = parsed_program(R"(program flat scheduled
input A f32[4, 32] layout [0 1+16] halo 0:1:0
constant B f32[8, 32] layout [1/16 0 1%16]
output C f32[4, 32] layout [1 0]
table T f32[2, 2] = [1.0, 2.0, 3.0, 4.0]
body
alloc D f32[4, 32] stack layout [0 1] {
  for i in 4 {
    for j in 32 {
      prefetch A[i + 1, j]
      D[i, j] = A[i, j] + T[1, 0]
      C[i, j] = B[i, j] * D[i, j]
    }
  }
}
)");
  const Program got = flatten_storage(initialise_reductions(program));
  expect_golden(to_text(got));
  EXPECT_FALSE(difference(got, program, 1));
}

TEST(FlattenStorage, AddressesWhatTheLayoutSays) {
  Rng rng(1);
  for (int n = 0; n < 200; ++n) {
    Program program = parsed_program(R"(program copy scheduled
input A f32[5, 6, 7] layout [0 1 2]
output C f32[5, 6, 7] layout [0 1 2]
body
for i in 5 {
  for j in 6 {
    for k in 7 {
      C[i, j, k] = A[i, j, k]
    }
  }
}
)");
    for (Param& param : program.params)
      param.placed.layout = random_layout(param.placed.tensor.shape, rng);
    const Program got = flatten_storage(initialise_reductions(program));
    ASSERT_TRUE(verify(got)) << to_text(got);
    const auto found = difference(got, program, 1);
    ASSERT_FALSE(found) << *found << "\n" << to_text(program);
  }
}

}  // namespace
}  // namespace tessera
