#include "learn/search_race.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// A run whose network takes so long after each round of 10 trials and one second.
TuningRun run_with(std::vector<double> seconds) {
  TuningRun run;
  run.model = "net";
  run.cost_model = "model";
  for (std::size_t n = 0; n < seconds.size(); ++n)
    run.curve.push_back(
        {static_cast<double>(n + 1), static_cast<std::int64_t>(10 * (n + 1)), seconds[n]});
  return run;
}

TEST(SearchRace, TellsWhenTheGoalWasReached) {
  const std::vector<TuningRun> goal{run_with({9, 8, 7, 6}), run_with({9, 8, 7, 5})};
  const RaceResult result =
      compare_runs({run_with({9, 5.5, 4}), run_with({9, 8, 5}), run_with({9, 9, 9})}, goal);
  EXPECT_EQ(result.goal_seconds, 5.5);
  EXPECT_EQ(result.goal_run_seconds, 4);
  EXPECT_EQ(result.final_seconds, 5);
  EXPECT_EQ(result.reached, 2U);
  EXPECT_EQ(result.trials_to_goal, 25);
  EXPECT_EQ(result.seconds_to_goal, 2.5);
}

TEST(SearchRace, SaysNothingOfAGoalThatMostDoNotReach) {
  const RaceResult result =
      compare_runs({run_with({9, 8}), run_with({5})}, {run_with({6}), run_with({6})});
  EXPECT_EQ(result.reached, 1U);
  EXPECT_FALSE(result.trials_to_goal.has_value());
}

TEST(SearchRace, RefusesWhatTheTunerRefuses) {
  const auto run =
      search_alone({.network = "bert_tiny", .cost_model = "oracle"}, detect_host(), "");
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().message.find("oracle"), std::string::npos) << run.error().message;
}

TEST(SearchRace, SearchesFromNothing) {
  const auto run = search_alone({.network = "bert_tiny", .cost_model = "trees", .trials = 40},
                                detect_host(), "test");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_GE(run->trials(), 40);
  EXPECT_FALSE(run->curve.empty());
}

}  // namespace
}  // namespace tessera
