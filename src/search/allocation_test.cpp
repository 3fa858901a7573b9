#include "search/allocation.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TaskHistory after(std::vector<double> trend, std::int64_t calls = 1) {
  TaskHistory task{.calls = calls, .best_seconds = trend.back(), .round_seconds = 1};
  task.trend = std::move(trend);
  return task;
}

TEST(NextTask, TriesEachOnceTheLongestFirst) {
  std::vector<TaskHistory> tasks{after({1.0}), after({3.0}), after({0.5}, 4)};
  EXPECT_EQ(next_task(tasks), 1);
  tasks[1] = after({3.0, 2.9});
  EXPECT_EQ(next_task(tasks), 2);  // four calls of half a second
  tasks[2] = after({0.5, 0.5}, 4);
  EXPECT_EQ(next_task(tasks), 0);
}

TEST(NextTask, FollowsWhatImproves) {
  const std::vector<TaskHistory> tasks{after({1.0, 1.0, 1.0}), after({1.2, 1.1, 1.0})};
  EXPECT_EQ(next_task(tasks), 1);
}

TEST(NextTask, ATimeThatRoseIsNoReasonToStop) {
  EXPECT_EQ(next_task(std::vector{after({1.0, 0.5, 1.0})}), 0);
  EXPECT_EQ(expected_gain(after({1.0, 0.5, 1.0})), expected_gain(after({1.0, 1.0, 1.0})));
}

TEST(NextTask, PrefersRoundsThatTakeLittle) {
  std::vector<TaskHistory> tasks{after({1.0, 1.0}), after({1.0, 1.0})};
  tasks[0].round_seconds = 2;
  EXPECT_EQ(next_task(tasks), 1);
}

TEST(NextTask, LeavesTasksAtThePeakAlone) {
  std::vector<TaskHistory> tasks{after({1.0, 1.0}), after({1.0, 1.0})};
  tasks[0].least_seconds = 0.99;
  EXPECT_EQ(next_task(tasks), 1);
}

TEST(NextTask, IsNothingWhenAllAreExhausted) {
  std::vector<TaskHistory> tasks{after({1.0}), after({1.0, 0.5})};
  for (TaskHistory& task : tasks) task.is_exhausted = true;
  EXPECT_EQ(next_task(tasks), std::nullopt);
  EXPECT_EQ(next_task({}), std::nullopt);
}

TEST(NextTask, SkipsTasksOfWhichNothingRuns) {
  EXPECT_EQ(next_task(std::vector<TaskHistory>{{.calls = 3}}), std::nullopt);
}

TEST(ExpectedGain, WearsOffWithRoundsThatBringNothing) {
  double last = expected_gain(after({1.0, 1.0}));
  for (std::size_t rounds = 3; rounds < 10; ++rounds) {
    const double gain = expected_gain(after(std::vector<double>(rounds, 1.0)));
    EXPECT_LT(gain, last);
    last = gain;
  }
}

}  // namespace
}  // namespace tessera
