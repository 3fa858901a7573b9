#include "feature/statement_features.h"
#include "ops/tasks.h"
#include "schedule/space.h"
#include "support/random_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// Expects rows of finite numbers for schedules drawn from the Space of a task.
void expect_rows(const Task& task, int draws, Rng& rng) {
  const Space space(task);
  for (int n = 0; n < draws; ++n) {
    const Space::Chain chain = draw(space, rng);
    SCOPED_TRACE(task.computation.name + ": " + to_text(chain.names));
    const Program program = *tessera::apply(chain.draft.schedule, to_program(task.computation));
    Rows rows{.width = statement_width};
    append_statements(task, program, rows);
    append_statements(task, program, rows);
    ASSERT_EQ(rows.size(), 2);
    EXPECT_GE(rows.length(0), 1);
    EXPECT_TRUE(std::ranges::equal(rows.of(0), rows.of(1)));
    for (const float value : rows.values) ASSERT_TRUE(std::isfinite(value) && value >= 0);
  }
}

TEST(StatementFeatures, AreFiniteForDrawnSchedules) {
  Rng rng(1);
  for (const char* target : {"x86-avx2", "x86-avx512 cores=4"})
    for (const char* spec :
         {"matmul:m=30,n=70,k=50,epilogue=bias+gelu", "conv2d:c=16,h=14,w=14,o=32,k=3,p=1",
          "depthwise:c=16,h=9,w=9,k=3,p=1,s=2,epilogue=bias+relu6", "softmax:rows=12,cols=100",
          "layernorm:rows=6,cols=70", "gather:rows=20,cols=16,count=5"})
      expect_rows({*parse_task_spec(spec), *parse_target(target)}, 5, rng);
}

TEST(StatementFeatures, AreFiniteForRandomComputations) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_rows({random_computation(rng), *parse_target("x86-avx2 cores=2")}, 2, rng);
  }
}

}  // namespace
}  // namespace tessera
