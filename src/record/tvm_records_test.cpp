#include "record/tvm_records.h"

#include "base/file.h"
#include "base/hash.h"
#include "support/data_file.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

std::string sample_text() { return *read_file(data_path("tvm_records.json")); }

TvmRecords sample() {
  const Result<TvmRecords> got = parse_tvm_records(sample_text());
  EXPECT_TRUE(got) << got.error().message;
  return got ? *got : TvmRecords();
}

TEST(TvmRecords, TellTasksByTheirWorkloadKeys) {
  const TvmRecords got = sample();
  ASSERT_EQ(got.tasks.size(), 2);
  EXPECT_EQ(got.tasks[0].family, "tvm");
  EXPECT_EQ(got.tasks[0].fingerprint, to_text(fingerprint(got.tasks[0].text)));
  EXPECT_EQ(got.tasks[0].sizes,
            (std::vector<std::int64_t>{1, 128, 768, 768, 3072, 768, 1, 3072, 1, 128, 3072}));
  EXPECT_EQ(got.tasks[1].text,
            "[\"9a8b7c6d5e4f30211203f4e5d6c7b8a9\", [8, 32, 32, 512], [1, 1, 512, 256], "
            "[1, 1, 1, 256], [8, 32, 32, 256]]");
  EXPECT_EQ(got.tasks[1].sizes, (std::vector<std::int64_t>{8, 32, 32, 512, 1, 1, 512, 256, 1, 1, 1,
                                                           256, 8, 32, 32, 256}));
  ASSERT_EQ(got.records.size(), 3);
  EXPECT_EQ(got.records[0].task, got.tasks[0].fingerprint);
  EXPECT_EQ(got.records[1].task, got.tasks[0].fingerprint);
  EXPECT_EQ(got.records[2].task, got.tasks[1].fingerprint);
}

TEST(TvmRecords, AreRecordsOfOurs) {
  const TvmRecords got = sample();
  ASSERT_EQ(got.records.size(), 3);
  const Record want = {.task = got.tasks[0].fingerprint,
                       .target = "llvm -keys=cpu -mcpu=core-avx2 [16, 64, 64, 0, 0, 0, 0, 0]",
                       .schedule = "SP 2 0 128 [1, 1, 1] 1\nRF 2 4 2\nCR 1\nSA 1 0 32 16\n",
                       .choices = "",
                       .origin = "tvm",
                       .measurement = {.outcome = Outcome::TimedOut, .reason = "run timeout"},
                       .version = "tvm v0.5",
                       .time = 1620154190};
  EXPECT_EQ(got.records[1], want);
  EXPECT_EQ(got.records[0].measurement.seconds,
            (std::vector<double>{0.00181204, 0.00179921, 0.00180417}));
  EXPECT_EQ(got.records[2].version, "tvm v0.6");
}

TEST(TvmRecords, HaveSchedulesThatParse) {
  std::size_t count = 0;
  for (const Record& record : sample().records) {
    const Result<std::vector<TvmStep>> steps = parse_tvm_steps(record.schedule);
    ASSERT_TRUE(steps) << steps.error().message;
    std::string text;
    for (const TvmStep& step : *steps) text += to_text(step) + "\n";
    EXPECT_EQ(text, record.schedule);
    count += steps->size();
  }
  EXPECT_EQ(count, 30);
}

TEST(TvmSteps, AreKindStageAndArguments) {
  const Result<std::vector<TvmStep>> got = parse_tvm_steps(
      "SP 2 0 64 [4, 8] 1\n\nCHR 1 shared []\nPR 3 0 auto_unroll_max_step$512\nCI 5");
  ASSERT_TRUE(got) << got.error().message;
  using List = std::vector<std::int64_t>;
  const std::vector<TvmStep> want = {
      {"SP", 2, {std::int64_t{0}, std::int64_t{64}, List{4, 8}, std::int64_t{1}}},
      {"CHR", 1, {"shared", List{}}},
      {"PR", 3, {std::int64_t{0}, "auto_unroll_max_step$512"}},
      {"CI", 5, {}}};
  EXPECT_EQ(*got, want);
}

TEST(TvmSteps, AreRefusedByLine) {
  const auto refusal = [](std::string_view text) { return parse_tvm_steps(text).error().message; };
  EXPECT_EQ(refusal("CI 1\nXX 2\n"), "line 2: unknown step XX");
  EXPECT_EQ(refusal("AN 1 2"), "line 1: expected an integer of 64 bits, found end of text");
  EXPECT_EQ(refusal("CI 1 2"), "line 1: expected end of line, found '2'");
  EXPECT_EQ(refusal("FU 1 2"), "line 1: expected '[', found '2'");
  EXPECT_EQ(refusal("FU 1 [2 3]"), "line 1: expected ',', found '3'");
  EXPECT_EQ(refusal("CHW 1 [2]"), "line 1: expected a name, found '['");
  EXPECT_EQ(refusal("PR 1 2 x$y"), "line 1: expected an integer of 64 bits, found 'y'");
}

/// `from` in the third line of the sample is replaced by `to`.
void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
  std::string text = sample_text();
  const std::size_t third = text.find('\n', text.find('\n') + 1) + 1;
  const std::size_t at = text.find(from, third);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const Result<TvmRecords> got = parse_tvm_records(text);
  ASSERT_FALSE(got) << text;
  EXPECT_EQ(got.error().message, "line 3: " + message);
}

TEST(TvmRecords, AreRefusedByLine) {
  const std::string no_record =
      "not a record of auto_scheduler: expected JSON with \"i\" and \"r\"";
  expect_refused("{\"i\"", "{\"j\"", no_record);
  expect_refused("\"v0.6\"}", "\"v0.6\"", no_record);
  expect_refused("\"v0.6\"", "\"v0.9\"", "version \"v0.9\": expected \"v0.5\" or \"v0.6\"");
  expect_refused("\"v\"", "\"w\"", "version null: expected \"v0.5\" or \"v0.6\"");
  expect_refused("\"i\": [", "\"i\": [0, ", "\"i\": expected [task, state]");
  expect_refused("[-1, 16", "[null, 16",
                 "\"i\"[0]: expected [workload key, target, hardware parameters, ..]");
  expect_refused("[[], [[", "[0, [], [[", "\"i\"[1]: expected [stages, steps]");
  expect_refused("[\"CI\", 5]", "[\"XX\", 5]", "step [\"XX\",5]: no such step of auto_scheduler");
  expect_refused("[\"CI\", 5]", "[\"CI\", 5, 1]",
                 "step [\"CI\",5,1]: no such step of auto_scheduler");
  expect_refused("\"shared\"", "\"shared\\nCI 1\"",
                 "step [\"CHR\",1,\"shared\\nCI 1\",[3]]: no such step of auto_scheduler");
  expect_refused("[\"CI\", 5]", "5", "step 5: expected [kind, stage, arguments ..]");
  expect_refused("[\"CI\", 5]", "[\"CI\", 5, 0.5]",
                 "step [\"CI\",5,0.5]: expected [kind, stage, arguments ..]");
  expect_refused("[0.000176353], 0", "[0.000176353], 9", "error number 9: expected 0 to 8");
  expect_refused("[0.000176353], 0", "[], 0",
                 "outcome ok with 0 timings, expected some if and only if ok");
  expect_refused("[0.000176353], 0", "0.1, 0",
                 "\"r\": expected [seconds, error number, seconds of all the work, time]");
  EXPECT_EQ(parse_tvm_records("\n").error().message, "no records");
}

TEST(TvmRecords, HaveTheOutcomeOfTheirErrorNumber) {
  const std::vector<Outcome> want = {Outcome::Ok,       Outcome::Refused,  Outcome::Refused,
                                     Outcome::Refused,  Outcome::Crashed,  Outcome::WrongResult,
                                     Outcome::TimedOut, Outcome::TimedOut, Outcome::Crashed};
  for (std::size_t number = 0; number < want.size(); ++number) {
    std::string text = sample_text();
    const std::string from = "[0.000176353], 0";
    text.replace(text.find(from), from.size(), "[0.000176353], " + std::to_string(number));
    const Result<TvmRecords> got = parse_tvm_records(text);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->records[2].measurement.outcome, want[number]) << number;
    EXPECT_EQ(got->records[2].measurement.reason.empty(), number == 0);
  }
}

TEST(TvmRecords, MayHaveAWorkloadKeyThatIsOnlyAName) {
  const Result<TvmRecords> got = parse_tvm_records(
      "{\"i\": [[\"matmul\", \"llvm\", []], [[], []]], \"r\": [[0.1], 0, 1, 2], \"v\": \"v0.6\"}");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->tasks[0].text, "matmul");
  EXPECT_EQ(got->tasks[0].sizes, std::vector<std::int64_t>());
  EXPECT_EQ(got->records[0].target, "llvm []");
}

}  // namespace
}  // namespace tessera
