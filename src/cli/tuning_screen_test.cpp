#include "cli/tuning_screen.h"

#include "base/text.h"
#include "cli/tuning_event.h"
#include "cli/tuning_text.h"
#include "report/plain_text.h"
#include "support/golden.h"
#include "support/sample_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tessera {
namespace {

using Mode = TuningScreen::Mode;

/// What a screen prints on stderr of the runs that it is given, the last of which is the end.
std::string on_stderr(Mode mode, const std::vector<TuningRun>& runs) {
  testing::internal::CaptureStderr();
  TuningScreen screen(mode);
  for (const TuningRun& run : runs) &run == &runs.back() ? screen.finish(run) : screen.show(run);
  return testing::internal::GetCapturedStderr();
}

TuningRun run_at(double seconds, const std::string& phase = "tune") {
  TuningRun run = small_run();
  run.elapsed_seconds = seconds;
  run.phase = phase;
  return run;
}

TEST(TuningScreen, ShowsWhatMatters) { expect_golden(render(small_run(), 100, 24, false)); }

TEST(TuningScreen, HasColours) { expect_golden(render(small_run(), 100, 8, true)); }

TEST(TuningScreen, LeavesOutColumnsWhereItIsNarrow) {
  expect_golden(render(small_run(), 50, 24, false));
}

TEST(TuningScreen, SumsTasksThatDoNotFit) { expect_golden(render(sample_run(1), 90, 12, false)); }

TEST(TuningScreen, ShowsRunsThatHaveJustBegun) {
  TuningRun run = small_run();
  run.phase = "prepare";
  run.elapsed_seconds = 0;
  run.outcomes.clear();
  run.tasks[1].untuned_seconds = run.tasks[1].best_seconds = 0;
  for (TaskProgress& task : run.tasks) task.trials = 0, task.trend.clear();
  EXPECT_TRUE(render(run, 80, 24, false)
                  .starts_with("prepare  0:00 / 5:00  0 trials\n"
                               "zoo:resnet50  3 of 4 tasks measured\ntask "));
  EXPECT_EQ(render({}, 80, 24, false), "  0:00  0 trials\n  0 of 0 tasks measured\n");
}

TEST(TuningScreen, StaysWithinTheTerminal) {
  const TuningRun run = sample_run(2);
  for (int columns = 1; columns < 130; ++columns)
    for (const int rows : {1, 2, 3, 5, 6, 7, 24, 60}) {
      const std::vector<std::string> lines = split_lines(render(run, columns, rows, false));
      EXPECT_LE(lines.size(), static_cast<std::size_t>(std::max(rows - 1, 1))) << rows;
      for (const std::string& line : lines)
        EXPECT_LE(length_of(line), static_cast<std::size_t>(columns)) << line;
    }
}

TEST(TuningScreen, ShowsNamesThatWouldSteerTheTerminal) {
  TuningRun run = small_run();
  run.model = "\x1b[2J\n\xff";
  run.tasks[0].title = "a\r\nb\x1b]0;x\x07";
  const std::string text = render(run, 80, 24, false);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(split_lines(text).size(), 7U);
}

TEST(TuningScreen, DrawsOverItselfAndLeavesTheCursor) {
  const std::string text = on_stderr(Mode::Terminal, {run_at(1), run_at(1.05), run_at(2)});
  const std::string again = "\x1b[7A\r";
  ASSERT_NE(text.find(again), std::string::npos) << text;
  EXPECT_EQ(text.find(again), text.rfind(again)) << "the second one was too near";
  EXPECT_TRUE(text.ends_with("\n\x1b[J\x1b[?7h\x1b[?25h")) << text;
}

TEST(TuningScreen, HasALineEveryTenSecondsAndAtEachPhaseElsewhere) {
  EXPECT_EQ(on_stderr(Mode::Lines, {run_at(1, "prepare"), run_at(2), run_at(11), run_at(12),
                                    run_at(13), run_at(14, "done")}),
            "prepare: 0:01 of 5:00, 412 trials, 11 failed, 27.7 ms -> 9.05 ms, 3.06x\n"
            "tune: 0:02 of 5:00, 412 trials, 11 failed, 27.7 ms -> 9.05 ms, 3.06x\n"
            "tune: 0:12 of 5:00, 412 trials, 11 failed, 27.7 ms -> 9.05 ms, 3.06x\n"
            "done: 0:14 of 5:00, 412 trials, 11 failed, 27.7 ms -> 9.05 ms, 3.06x\n");
}

TEST(TuningScreen, PrintsAnEventASecondAsJson) {
  testing::internal::CaptureStdout();
  TuningScreen screen(Mode::Json);
  for (const double seconds : {0.0, 0.5, 1.0, 1.5, 2.5}) screen.show(run_at(seconds));
  screen.show(run_at(2.6, "compare"));
  screen.finish(run_at(3, "done"));
  std::string events;
  for (const std::string& line : split_lines(testing::internal::GetCapturedStdout()))
    events += nlohmann::json::parse(line).at("event").get<std::string>() + " ";
  EXPECT_EQ(events, "start progress progress phase done ");
}

TEST(TuningEvent, TellsWhatTheRunHasComeTo) {
  const std::string text = event_json("progress", small_run());
  EXPECT_TRUE(text.starts_with(
      "{\"event\":\"progress\",\"phase\":\"tune\",\"elapsed\":161.2,\"trials\":412,"
      "\"outcomes\":{\"ok\":401,\"refused\":4,\"timed_out\":7},\"network_ms\":{\"before\":27.65"))
      << text;
  EXPECT_NEAR(nlohmann::json::parse(text).at("network_ms").at("now").get<double>(), 9.05, 1e-9);
  const auto start = nlohmann::json::parse(event_json("start", {}));
  EXPECT_TRUE(start.at("network_ms").at("now").is_null());
  EXPECT_EQ(start.at("model"), "");
  EXPECT_FALSE(start.contains("tasks"));
  const auto done = nlohmann::json::parse(event_json("done", sample_run(1)));
  EXPECT_EQ(done.at("tasks").size(), 25U);
  EXPECT_EQ(done.at("winner"), "tuned");
}

TEST(TuningEvent, IsOneLineWhateverTheNames) {
  TuningRun run = small_run();
  run.phase = "a\n\xff";
  const std::string text = event_json("progress", run);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text).at("phase"), "a\n\xef\xbf\xbd");
}

TEST(TuningScreen, HasNoScreenWhereThereIsNoTerminal) {
  EXPECT_EQ(TuningScreen::mode_for(true), Mode::Json);
  testing::internal::CaptureStderr();  // into a file
  EXPECT_EQ(TuningScreen::mode_for(false), Mode::Lines);
  testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace tessera
