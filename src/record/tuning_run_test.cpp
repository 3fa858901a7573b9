#include "record/tuning_run.h"

#include "support/sample_run.h"

#include <gtest/gtest.h>

#include <limits>

namespace tessera {
namespace {

/// The small run at its end.
TuningRun compared_run() {
  TuningRun run = small_run();
  run.finalists = {{"untuned", 30, 31, 29, 50}, {"tuned", 10, 11, 9, 50}};
  run.winner = "tuned";
  return run;
}

/// The refusal of its JSON in which `old` is replaced.
std::string refusal(const std::string& old, const std::string& replacement) {
  std::string json = to_json(compared_run());
  const std::size_t at = json.find(old);
  EXPECT_NE(at, std::string::npos) << old << " in " << json;
  const Result<TuningRun> got = parse_tuning_run(json.replace(at, old.size(), replacement));
  return got ? "accepted" : got.error().message;
}

std::string refusal_of(const std::string& json) {
  const Result<TuningRun> got = parse_tuning_run(json);
  return got ? "accepted" : got.error().message;
}

TEST(TuningRun, SumsOverItsTasks) {
  TuningRun run;
  run.tasks = {{.task = "a", .title = "", .calls = 3, .untuned_seconds = 0.5, .best_seconds = 0.25},
               {.task = "b", .title = "", .calls = 1, .untuned_seconds = 1, .best_seconds = 1}};
  run.tasks[0].trials = 5;
  run.tasks[1].trials = 2;
  EXPECT_EQ(run.trials(), 7);
  EXPECT_EQ(run.untuned_seconds(), 2.5);
  EXPECT_EQ(run.best_seconds(), 1.75);
}

TEST(TuningRun, IsReadBackFromJson) {
  TuningRun run = sample_run(7);
  run.seed = std::numeric_limits<std::uint64_t>::max();
  run.conditions = {.load = 0.1, .clock_ghz = {}, .celsius = -3.5};
  for (const TuningRun& each : {run, compared_run(), TuningRun{}}) {
    const Result<TuningRun> back = parse_tuning_run(to_json(each));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, each);
    EXPECT_EQ(to_json(*back), to_json(each));
  }
}

TEST(TuningRun, ReplacesBytesThatAreNotUtf8) {
  TuningRun run;
  run.model = "a\xff";
  const Result<TuningRun> back = parse_tuning_run(to_json(run));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->model, "a\xef\xbf\xbd");
}

TEST(TuningRun, RefusesMissingFields) {
  EXPECT_EQ(refusal_of("{}"), "format: missing");
  EXPECT_EQ(refusal("\"seed\":", "\"sead\":"), "seed: missing");
  EXPECT_EQ(refusal("\"trend\":", "\"tread\":"), "tasks[0].trend: missing");
  EXPECT_EQ(refusal("\"network_seconds\":", "\"x\":"), "curve[0].network_seconds: missing");
  EXPECT_EQ(refusal("\"p90_ms\":", "\"x\":"), "finalists[0].p90_ms: missing");
}

TEST(TuningRun, RefusesWrongTypes) {
  EXPECT_EQ(refusal("\"threads\":2", "\"threads\":\"2\""),
            "threads: expected an integer of 0 or more, found \"2\"");
  EXPECT_EQ(refusal("\"threads\":2", "\"threads\":2.5"),
            "threads: expected an integer of 0 or more, found 2.5");
  EXPECT_EQ(refusal("\"model\":\"zoo:resnet50\"", "\"model\":null"),
            "model: expected a text, found null");
  EXPECT_EQ(refusal("\"conditions\":{", "\"conditions\":[],\"x\":{"),
            "conditions: expected a group of fields, found a list");
  EXPECT_EQ(refusal("\"trend\":[", "\"trend\":[true,"),
            "tasks[0].trend[0]: expected a number, found true");
  EXPECT_EQ(refusal("\"finalists\":[", "\"finalists\":{},\"x\":["),
            "finalists: expected a list, found a group of fields");
  EXPECT_EQ(refusal_of("[]"), "expected a group of fields, found a list");
}

TEST(TuningRun, RefusesNumbersThatNoRunComesTo) {
  EXPECT_EQ(refusal("\"threads\":2", "\"threads\":-2"),
            "threads: expected an integer of 0 or more, found -2");
  EXPECT_EQ(refusal("\"threads\":2", "\"threads\":1000000000001"),
            "threads: expected an integer from 0 to 1e12, found 1000000000001");
  EXPECT_EQ(refusal("\"elapsed_seconds\":161.2", "\"elapsed_seconds\":-0.5"),
            "elapsed_seconds: expected a number from 0 to 1e18, found -0.5");
  EXPECT_EQ(refusal("\"elapsed_seconds\":161.2", "\"elapsed_seconds\":2e18"),
            "elapsed_seconds: expected a number from 0 to 1e18, found 2e+18");
  EXPECT_EQ(refusal("\"elapsed_seconds\":161.2", "\"elapsed_seconds\":1e999"),
            "number overflow parsing '1e999'");
}

TEST(TuningRun, RefusesTimesThatAreNoNumbers) {
  TuningRun run;
  run.elapsed_seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal_of(to_json(run)), "elapsed_seconds: expected a number, found null");
  EXPECT_TRUE(refusal("\"elapsed_seconds\":161.2", "\"elapsed_seconds\":NaN")
                  .starts_with("not JSON: damaged or cut off at byte "));
}

TEST(TuningRun, RefusesUnknownWords) {
  EXPECT_EQ(refusal("\"timed_out\":", "\"late\":"), "outcomes.late: no such outcome");
  EXPECT_EQ(refusal("\"winner\":\"tuned\"", "\"winner\":\"other\""),
            "winner: expected the name of a finalist, found \"other\"");
}

TEST(TuningRun, RefusesOtherFormats) {
  EXPECT_EQ(refusal("\"format\":1", "\"format\":2"),
            "format: expected 1, the newest that this version reads, found 2");
  EXPECT_EQ(refusal("\"format\":1", "\"format\":\"1\""),
            "format: expected an integer of 0 or more, found \"1\"");
}

TEST(TuningRun, RefusesDamagedText) {
  EXPECT_EQ(refusal_of(""), "not JSON: damaged or cut off at byte 1");
  const std::string json = to_json(small_run());
  EXPECT_EQ(refusal_of(json.substr(0, 100)), "not JSON: damaged or cut off at byte 101");
  EXPECT_EQ(refusal_of(json + "x"),
            "not JSON: damaged or cut off at byte " + std::to_string(json.size() + 1));
}

}  // namespace
}  // namespace tessera
