#include "record/record.h"

#include "support/sample_records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

namespace tessera {
namespace {

TEST(Identity, IsTheSameOnEveryMachine) {
  EXPECT_EQ(identity(sample_record(1, 0.1)), "4124926d1c96148e22059e4bfa68bf5c");
}

TEST(Identity, DependsOnEveryField) {
  const std::vector<std::function<void(Record&)>> changes = {
      [](Record&) {},
      [](Record& r) { r.task = sample_task(2).fingerprint; },
      [](Record& r) { r.target += " cores=2"; },
      [](Record& r) { r.schedule += "x"; },
      [](Record& r) { r.choices = ""; },
      [](Record& r) { r.origin = "store"; },
      [](Record& r) { r.measurement.outcome = Outcome::Refused; },
      [](Record& r) { r.measurement.reason = "x"; },
      [](Record& r) { r.measurement.seconds.pop_back(); },
      [](Record& r) { r.measurement.seconds[0] = std::nextafter(r.measurement.seconds[0], 1); },
      [](Record& r) { r.measurement.clock = Clock::Wall; },
      [](Record& r) { r.measurement.compile_seconds = 0; },
      [](Record& r) { r.measurement.conditions.load = std::nullopt; },
      [](Record& r) { r.measurement.conditions.clock_ghz = 0.3; },
      [](Record& r) { r.measurement.conditions.celsius = 0; },
      [](Record& r) { r.version = ""; },
      [](Record& r) { r.time = -1; }};
  std::set<std::string> identities;
  for (const auto& change : changes) {
    Record record = sample_record(1, 0.1);
    change(record);
    identities.insert(identity(record));
  }
  EXPECT_EQ(identities.size(), changes.size());
}

TEST(Identity, KeepsNeighbouringFieldsApart) {
  Record one = sample_record(1, 0.1);
  Record two = one;
  one.schedule = "ab";
  one.choices = "c";
  two.schedule = "a";
  two.choices = "bc";
  EXPECT_NE(identity(one), identity(two));
}

void expect_refused(const std::function<void(Record&)>& change, const std::string& message) {
  Record record = sample_record(1, 0.1);
  ASSERT_TRUE(verify(record));
  change(record);
  const Result<void> got = verify(record);
  ASSERT_FALSE(got) << message;
  EXPECT_EQ(got.error().message, message);
}

TEST(Verify, RefusesRecordsThatNobodyCouldUse) {
  expect_refused([](Record& r) { r.task = "../etc"; },
                 "task \"../etc\": expected a fingerprint of 32 hexadecimal digits");
  expect_refused([](Record& r) { r.target = ""; }, "record without a target");
  expect_refused([](Record& r) { r.measurement.reason = "\xff"; },
                 "reason: expected text in UTF-8");
  expect_refused([](Record& r) { r.measurement.seconds = {}; },
                 "outcome ok with 0 timings, expected some if and only if ok");
  expect_refused([](Record& r) { r.measurement.outcome = Outcome::TimedOut; },
                 "outcome timed_out with 3 timings, expected some if and only if ok");
  expect_refused([](Record& r) { r.measurement.seconds = {-1}; },
                 "seconds -1: expected finite timings of at least 0");
  expect_refused([](Record& r) { r.measurement.seconds = {std::nan("")}; },
                 "seconds nan: expected finite timings of at least 0");
  expect_refused(
      [](Record& r) { r.measurement.conditions.load = std::numeric_limits<double>::infinity(); },
      "measurement has inf, expected finite numbers");
}

TEST(Verify, RefusesTasksThatNobodyCouldUse) {
  TaskEntry task = sample_task(1);
  EXPECT_TRUE(verify(task));
  task.family = "\xc3";
  EXPECT_EQ(verify(task).error().message, "family: expected text in UTF-8");
  task.fingerprint = "";
  EXPECT_EQ(verify(task).error().message,
            "task \"\": expected a fingerprint of 32 hexadecimal digits");
}

}  // namespace
}  // namespace tessera
