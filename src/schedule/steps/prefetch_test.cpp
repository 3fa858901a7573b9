#include "ir/text.h"
#include "support/expect_step.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(PrefetchAhead, AsksForWhatTheBodyReadsLater) {
  expect_golden_program(
      matmul(4, 8, 6),
      {Reorder{{"C.k", "C.j"}}, PrefetchAhead{.tensor = "B", .axis = "C.k", .distance = 2}});
}

TEST(PrefetchAhead, Refuses) {
  const Computation c = matmul(4, 8, 6);
  expect_refusal(c, {PrefetchAhead{"B", "C.z", 1}}, "prefetch B C.z: no axis C.z");
  expect_refusal(c, {PrefetchAhead{"B", "C.k", 0}},
                 "prefetch B C.k: distance 0 is not within 1 and 65536");
  expect_refusal(c, {PrefetchAhead{"B", "C.k", std::int64_t{1} << 62}},
                 "prefetch B C.k: distance 4611686018427387904 is not within 1 and 65536");
  expect_refusal(c, {PrefetchAhead{"C", "C.k", 1}}, "prefetch C C.k: the loop does not read it");
}

TEST(PrefetchAhead, RefusesAnIndexThatIsRead) {
  const Computation gather = *parse_computation(
      "computation gather\ninput X f32[8]\ninput I i64[4]\n"
      "stage D f32[i:4] = X[min(max(I[i], 0), 7)]\noutput D\n");
  expect_refusal(gather, {PrefetchAhead{"X", "D.i", 2}},
                 "prefetch X D.i: its index depends on data");
  expect_same(gather, {PrefetchAhead{"I", "D.i", 2}});
}

TEST(PrefetchAhead, RefusesATensorThatTheBodyMakes) {
  expect_refusal(
      matmul(4, 8, 6),
      {CacheRead{"B", "C.i", Memory::Stack, row_major(2)}, PrefetchAhead{"B.pack", "C.i", 1}},
      "prefetch B.pack C.i 1: prefetch: prefetches B.pack before it is defined");
}

}  // namespace
}  // namespace tessera
