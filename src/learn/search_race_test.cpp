#include "learn/search_race.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// A search whose network takes so long after each second and 10 trials.
SearchCurve curve_with(const std::vector<double>& seconds) {
  SearchCurve curve{.points = {}, .elapsed_seconds = static_cast<double>(seconds.size())};
  for (std::size_t n = 0; n < seconds.size(); ++n)
    curve.points.push_back(
        {static_cast<double>(n + 1), static_cast<std::int64_t>(10 * (n + 1)), seconds[n]});
  return curve;
}

TEST(SearchRace, TellsWhenTheGoalWasReached) {
  const std::vector<SearchCurve> others{curve_with({9, 8, 7, 6}), curve_with({9, 8, 7, 5})};
  const RaceResult result = compare_searches(
      {curve_with({9, 5.5, 4}), curve_with({9, 8, 5}), curve_with({9, 9, 9})}, others);
  EXPECT_EQ(result.other_final_seconds, 5.5);
  EXPECT_EQ(result.other_elapsed_seconds, 4);
  EXPECT_EQ(result.final_seconds, 5);
  EXPECT_EQ(result.goal.runs, 2U);
  EXPECT_EQ(result.goal.trials, 25);
  EXPECT_EQ(result.goal.seconds, 2.5);
  EXPECT_EQ(result.goal.seconds_of_runs, (std::vector<std::optional<double>>{2, 3, std::nullopt}));
}

TEST(SearchRace, TellsWhatNearlyReachesTheGoalByItself) {
  const RaceResult result = compare_searches({curve_with({9, 6.05})}, {curve_with({8, 6})});
  EXPECT_EQ(result.goal.runs, 0U);
  EXPECT_EQ(result.nearly.seconds, 2);
}

TEST(SearchRace, SaysNothingOfAGoalThatMostDoNotReach) {
  const RaceResult result =
      compare_searches({curve_with({9, 8}), curve_with({5})}, {curve_with({6}), curve_with({6})});
  EXPECT_EQ(result.goal.runs, 1U);
  EXPECT_FALSE(result.goal.trials.has_value());
}

TEST(SearchRace, ComparesAfterAsManyTrials) {
  const SearchCurve curve{.points = {{1, 10, 9}, {2, 100, 4}, {3, 600, 3}}},
      other{.points = {{1, 70, 8}, {2, 900, 6}}};
  EXPECT_FALSE(other.seconds_after(64));
  EXPECT_EQ(curve.seconds_after(64), 9);
  const RaceResult result = compare_searches({curve}, {other});
  EXPECT_EQ(result.faster_after,
            (std::map<std::int64_t, double>{{125, 2}, {250, 2}, {500, 2}, {1000, 2}, {2000, 2}}));
}

TEST(SearchTrace, BecomesACurveByTheTimesOfItsSchedules) {
  const SearchTrace trace{.calls = {1, 2},
                          .changes = {{1, 1, 0, "a"}, {2, 2, 1, "b"}, {3, 9, 1, "c"}},
                          .elapsed_seconds = 4,
                          .trials = 12};
  const SearchCurve curve =
      curve_of(trace, {{{0, "a"}, 5}, {{1, "b"}, 3}, {{1, "c"}, 2}, {{0, "c"}, 1}});
  ASSERT_EQ(curve.points.size(), 2U);  // none before both tasks have a schedule
  EXPECT_EQ(curve.points[0].network_seconds, 11);
  EXPECT_EQ(curve.points[0].trials, 2);
  EXPECT_EQ(curve.final_seconds(), 9);
  EXPECT_EQ(curve.elapsed_seconds, 4);
}

TEST(SearchTrace, IsReadBackAsItWasWritten) {
  const SearchTrace trace{
      .calls = {3}, .changes = {{0.5, 1, 0, "a\n"}}, .elapsed_seconds = 2, .trials = 7};
  const Result<SearchTrace> again = parse_search_trace(to_json(trace));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, trace);
  SearchTrace other = trace;
  other.calls = {3, 1};
  EXPECT_EQ(parse_search_trace(to_json(other)).error().message, "a task without a schedule");
  other = trace;
  other.changes.front().task = 1;
  EXPECT_EQ(parse_search_trace(to_json(other)).error().message, "a change of no task");
  EXPECT_FALSE(parse_search_trace("{"));
}

TEST(SearchRace, RefusesWhatTheTunerRefuses) {
  const auto trace =
      search_alone({.network = "bert_tiny", .cost_model = "oracle"}, detect_host(), "");
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("oracle"), std::string::npos) << trace.error().message;
}

TEST(SearchRace, SearchesFromNothingAndTimesWhatItFound) {
  const Target target = detect_host();
  const auto trace =
      search_alone({.network = "bert_tiny", .cost_model = "trees", .trials = 40}, target, "test");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_GE(trace->trials, 40);
  const auto times = time_by_turns("bert_tiny", target, {*trace});
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_GT(curve_of(*trace, *times).final_seconds(), 0);
}

}  // namespace
}  // namespace tessera
