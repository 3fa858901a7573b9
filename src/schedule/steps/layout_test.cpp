#include "support/expect_step.h"
#include "support/random_step.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(ChooseLayout, ChangesNoIndex) {
  expect_golden_program(matmul(4, 32, 6),
                        {ChooseLayout{.tensor = "B", .layout = *parse_layout("[1/16 0 1%16]")}});
}

TEST(ChooseLayout, ComputesTheSameWhateverTheLayout) {
  const Computation c = matmul_relu(5, 7, 6);
  Rng rng(1);
  for (int n = 0; n < 100; ++n) {
    const Layout a = random_layout({5, 6}, rng), d = random_layout({5, 7}, rng);
    expect_same(c, {ChooseLayout{"A", a}, ChooseLayout{"C", d}, ChooseLayout{"D", d}});
  }
}

TEST(ChooseLayout, Refuses) {
  const Computation c = matmul(4, 8, 6);
  expect_refusal(c, {ChooseLayout{"Z", row_major(2)}}, "layout Z: no such tensor");
  expect_refusal(c, {ChooseLayout{"B", row_major(1)}},
                 "layout B: layout [0] of [6, 8]: parts of dimension 1 do not cover it exactly "
                 "once");
  expect_refusal(c, {ChooseLayout{"B", *parse_layout("[0 1] halo 0:1:1")}},
                 "layout B: only a global tensor can have a halo");
}

}  // namespace
}  // namespace tessera
