#include "feature/tokens.h"

#include "feature/token_columns.h"
#include "ir/bounds.h"
#include "ops/tasks.h"
#include "schedule/space.h"
#include "schedule/tree.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera {
namespace {

Task task_for(const char* spec, const char* target = "x86-avx2") {
  return {.computation = *parse_task_spec(spec), .target = *parse_target(target)};
}

Rows tokens_of(const Task& task, const Schedule& schedule) {
  return TokenEncoder(task).encode(std::vector{EstimatedSchedule{&schedule}});
}

std::span<const float> token(const Rows& rows, std::size_t n) {
  return rows.of(0).subspan(n * token_width, token_width);
}

TEST(Tokens, OneForTaskAndHardwareAndEachStepAndTheEstimate) {
  const Task task = task_for("matmul:m=128,n=64,k=32");
  const Schedule schedule = default_schedule(task);
  const Rows rows = tokens_of(task, schedule);
  EXPECT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.length(0), 3 + schedule.size());
  EXPECT_EQ(token(rows, 0)[token_column::task], 1);
  EXPECT_EQ(token(rows, 1)[token_column::hardware], 1);
  for (std::size_t n = 0; n < schedule.size(); ++n)
    EXPECT_EQ(token(rows, 2 + n)[token_column::first_step + schedule[n].index()], 1);
  EXPECT_EQ(token(rows, 2 + schedule.size())[token_column::estimate], 1);
}

TEST(Tokens, TheEstimateTellsPartsBesideTheBest) {
  Estimate best{.cycles = 100}, slower{.cycles = 200};
  slower[EstimatePart::Arithmetic] = 100;
  slower[EstimatePart::Idle] = 25;
  const Schedule none;
  const EstimatedSchedule estimated{&none, relative_estimate(slower, best)};
  const Rows rows = TokenEncoder(task_for("matmul:m=128,n=64,k=32")).encode(std::vector{estimated});
  const std::span<const float> last = token(rows, 2);
  const auto part = [&](EstimatePart one) {
    return last[token_column::facts + 1 + static_cast<std::size_t>(one)];
  };
  EXPECT_FLOAT_EQ(last[token_column::facts], std::log(0.5F));
  EXPECT_FLOAT_EQ(part(EstimatePart::Arithmetic), std::log2(17.0F));
  EXPECT_FLOAT_EQ(part(EstimatePart::Idle), std::log2(5.0F));
  EXPECT_EQ(part(EstimatePart::Loads), 0);
  EXPECT_EQ(rows.estimates, std::vector{last[token_column::facts]});
}

TEST(Tokens, ASplitTellsItsLoopItsFactorsAndWhatIsLeft) {
  const Task task = task_for("matmul:m=100,n=64,k=32");
  const std::string stage = task.computation.stages.back().tensor.name;
  const Axis& rows_axis = task.computation.stages.back().axes.front();
  const Rows rows = tokens_of(task, {Split{stage + "." + rows_axis.name, {4, 8}}});
  const std::span<const float> split = token(rows, 2);
  EXPECT_EQ(split[token_column::reduces], 0);
  EXPECT_EQ(split[token_column::axis], 2);  // of rows, columns and depth
  EXPECT_EQ(split[token_column::extent], std::log2(101.0F));
  EXPECT_EQ(split[token_column::numbers], std::log2(5.0F));
  EXPECT_EQ(split[token_column::numbers + 1], std::log2(9.0F));
  EXPECT_EQ(split[token_column::rounds], std::log2(5.0F));  // 4 rounds of 32
  EXPECT_FLOAT_EQ(split[token_column::waste], 0.28F);
}

/// Tokens speak of the loops that `apply` makes: of nearly all that a step annotates, the ledger
/// knows the extent of the longest round.
TEST(Tokens, LoopsAreFollowedThroughTheSchedule) {
  const char* const specs[] = {"matmul:m=100,n=60,k=33,epilogue=bias+gelu",
                               "conv2d:c=16,h=14,w=14,o=24,k=3,p=1,epilogue=bias+relu",
                               "conv2d:c=64,h=28,w=28,o=64,k=3,s=2,p=1", "softmax:rows=96,cols=50"};
  std::size_t known = 0, unknown = 0;
  for (const char* spec : specs) {
    const Task task = task_for(spec);
    const Space space(task);
    Rng rng(7);
    for (int n = 0; n < 20; ++n) {
      Result<Program> program = to_program(task.computation);
      LoopLedger ledger(*program);
      for (const Step& step : draw(space, rng).draft.schedule) {
        const AxisId* axis = nullptr;
        if (const auto* one = std::get_if<Vectorize>(&step)) axis = &one->axis;
        if (const auto* one = std::get_if<Unroll>(&step)) axis = &one->axis;
        if (const auto* one = std::get_if<Parallel>(&step)) axis = &one->axis;
        if (axis != nullptr) {
          const Loop* loop = find_loop(program->body, *axis);
          ASSERT_NE(loop, nullptr) << *axis;
          const auto extent = max_extent(loop->extent, scope_of(program->body, *axis));
          const float followed = ledger.find(*axis).extent;
          ++(followed == static_cast<float>(extent) ? known : unknown);
        }
        program = tessera::apply(step, *program);
        ASSERT_TRUE(program);
        if (std::holds_alternative<ChooseAlgorithm>(step))
          ledger = LoopLedger(*program);
        else
          ledger.take(step);
      }
    }
  }
  EXPECT_GT(known, 20 * unknown);
}

TEST(Tokens, HaveOneMeaningForEveryTarget) {
  const Task narrow = task_for("matmul:m=128,n=64,k=32", "x86-sse42");
  const Task wide = task_for("matmul:m=128,n=64,k=32", "x86-avx512");
  const Schedule schedule = default_schedule(narrow);
  const Rows a = tokens_of(narrow, schedule), b = tokens_of(wide, schedule);
  for (std::size_t n = 0; n < 2 + schedule.size(); ++n)
    EXPECT_EQ(std::ranges::equal(token(a, n), token(b, n)), n != 1) << n;
}

TEST(Tokens, TellFamiliesApart) {
  const auto family = [](const char* spec) {
    const Rows rows = tokens_of(task_for(spec), {});
    for (std::size_t n = 0; n < 6; ++n)
      if (token(rows, 0)[token_column::facts + n] == 1) return n;
    return std::size_t{6};
  };
  EXPECT_EQ(family("relu:rows=10,cols=10"), 0U);
  EXPECT_EQ(family("softmax:rows=96,cols=50"), 1U);
  EXPECT_EQ(family("matmul:m=128,n=64,k=32"), 3U);
  EXPECT_EQ(family("maxpool:c=16,h=14,w=14,k=2"), 2U);
  EXPECT_EQ(family("conv2d:c=16,h=14,w=14,o=24,k=3,p=1"), 4U);
  EXPECT_EQ(family("depthwise:c=16,h=14,w=14,k=3,p=1"), 5U);
}

}  // namespace
}  // namespace tessera
