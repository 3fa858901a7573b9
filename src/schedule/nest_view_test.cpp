#include "schedule/nest_view.h"

#include "support/expect_step.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(NestView, KnowsAxesReadsAndWrite) {
  const auto view = view_of(to_program(matmul(4, 8, 6)), "C");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->spatial().size(), 2);
  EXPECT_EQ(view->reduce().size(), 1);
  EXPECT_EQ(view->axis("C.k").extent, 6);
  EXPECT_EQ(view->points(), 4 * 8 * 6);
  EXPECT_TRUE(view->has_reducer);
  EXPECT_EQ(view->operations, 2);
  ASSERT_EQ(view->reads.size(), 2);
  EXPECT_FALSE(view->reads[0].is_constant);
  EXPECT_TRUE(view->reads[1].is_constant);
  EXPECT_EQ(view->write.placed.tensor.name, "C");
}

TEST(NestView, KnowsHowAnAxisMovesAnAccess) {
  const auto view = view_of(to_program(matmul(4, 8, 6)), "C");
  const Access &a = view->reads[0], &b = view->reads[1];
  EXPECT_TRUE(a.depends_on("C.i"));
  EXPECT_FALSE(a.depends_on("C.j"));
  EXPECT_EQ(a.dim_of("C.k"), 1);
  EXPECT_EQ(b.dim_of("C.k"), 0);
  EXPECT_EQ(a.dim_of("C.j"), std::nullopt);
  EXPECT_EQ(a.stride_of("C.i"), 6);
  EXPECT_EQ(a.stride_of("C.k"), 1);
  EXPECT_EQ(b.stride_of("C.k"), 8);
  EXPECT_EQ(b.stride_of("C.i"), 0);
}

TEST(NestView, LooksIntoQuotients) {
  const auto view = view_of(scheduled(matmul(4, 8, 6), {Fuse{"C.i", "C.j"}}), "C");
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->reads[0].depends_on("C.i_j"));
  EXPECT_EQ(view->reads[0].dim_of("C.i_j"), std::nullopt);
  EXPECT_EQ(view->reads[0].stride_of("C.i_j"), std::nullopt);
  EXPECT_EQ(view->reads[0].block_of("C.i_j"), 8);
  EXPECT_EQ(view->reads[1].block_of("C.i_j"), std::nullopt);
}

TEST(NestView, SeesThroughPadding) {
  const auto view = view_of(to_program(conv({})), "C");
  ASSERT_EQ(view->reads.size(), 2);
  EXPECT_TRUE(view->reads[0].is_padded);
  EXPECT_EQ(view->reads[0].dim_of("C.y"), 2);
  EXPECT_FALSE(view->reads[1].is_padded);
}

TEST(NestView, CountsAReadOnce) {
  const auto view = view_of(to_program(softmax(4, 8)), "E");
  EXPECT_EQ(view->reads.size(), 2);
  EXPECT_TRUE(view->is_heavy);
  EXPECT_FALSE(view->has_reducer);
}

TEST(NestView, NeedsAPlainNest) {
  EXPECT_FALSE(view_of(to_program(matmul(4, 8, 6)), "A"));
  EXPECT_FALSE(view_of(scheduled(matmul(10, 8, 6), {Split{"C.i", {4}}}), "C"));
}

}  // namespace
}  // namespace tessera
