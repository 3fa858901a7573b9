#include "record/store.h"

#include "base/temporary_folder.h"
#include "record/sqlite.h"
#include "support/sample_records.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

class StoreTest : public testing::Test {
 protected:
  StoreTest() : store_(*RecordStore::open(path_)) {}

  /// Adds records of tasks 1 and 2; gives how many were new.
  std::int64_t add(const std::vector<Record>& records) {
    const Result<std::int64_t> added =
        store_.add(std::vector{sample_task(1), sample_task(2)}, records);
    EXPECT_TRUE(added) << added.error().message;
    return added ? *added : -1;
  }
  std::vector<Record> all(const RecordStore::Filter& filter = {}) const {
    std::vector<Record> records;
    const Result<void> done = store_.visit(filter, [&](const Record& record) {
      records.push_back(record);
      return true;
    });
    EXPECT_TRUE(done) << done.error().message;
    return records;
  }
  /// Runs SQL on the file, beside the store.
  void change(const std::string& sql) const {
    const auto database = Database::open(path_, Database::Absent::Refuse, std::chrono::seconds(1));
    const Result<void> done = (*database)->run(sql);
    ASSERT_TRUE(done) << done.error().message;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::string path_ = folder_ / "deep/er/store.db";
  RecordStore store_;
};

TEST_F(StoreTest, GivesBackWhatWasAdded) {
  const std::vector<Record> records = {sample_record(2, 0.1), failed_record(1),
                                       sample_record(1, 0.3, "x86-sse42 \"µ\"")};
  EXPECT_EQ(add(records), 3);
  EXPECT_EQ(all(), records);
  EXPECT_EQ(store_.path(), path_);
  EXPECT_TRUE(store_.check());
}

TEST_F(StoreTest, KeepsEveryBitOfNumbersAndEveryByteOfTexts) {
  Record record = sample_record(1, 1.0 / 3);
  record.measurement.seconds = {0.1 + 0.2, 5e-324, 1.7976931348623157e308};
  record.measurement.compile_seconds = 2.0 / 3;
  record.measurement.conditions = {.load = 1e-3, .clock_ghz = 3.3000000000000003, .celsius = {}};
  record.schedule = std::string("a\0b", 3);
  record.time = -1;
  add({record});
  EXPECT_EQ(all(), std::vector{record});
}

TEST_F(StoreTest, TakesARecordOnce) {
  EXPECT_EQ(add({sample_record(1, 0.1), sample_record(1, 0.1), sample_record(1, 0.2)}), 2);
  EXPECT_EQ(add({sample_record(1, 0.2), sample_record(1, 0.4)}), 1);
  EXPECT_EQ(all().size(), 3);
}

TEST_F(StoreTest, IsTheSameWhenOpenedAgain) {
  add({sample_record(1, 0.1)});
  const Result<RecordStore> again = RecordStore::open_existing(path_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->best({})->size(), 1);
}

TEST_F(StoreTest, VisitsByTaskAndTargetUntilToldToStop) {
  const Record one = sample_record(1, 0.1);
  const Record two = sample_record(2, 0.1);
  const Record other = sample_record(1, 0.1, "x86-sse42");
  add({one, two, other});
  const std::string task = sample_task(1).fingerprint;
  EXPECT_EQ(all({.task = task}), (std::vector{one, other}));
  EXPECT_EQ(all({.target = "x86-avx2"}), (std::vector{one, two}));
  EXPECT_EQ(all({.task = task, .target = "x86-sse42"}), std::vector{other});
  EXPECT_EQ(all({.task = "none"}), std::vector<Record>());
  int count = 0;
  EXPECT_TRUE(store_.visit({}, [&](const Record&) { return ++count < 2; }));
  EXPECT_EQ(count, 2);
}

TEST_F(StoreTest, GivesTheFastestOfEachTaskAndTarget) {
  const Record fast = sample_record(1, 0.1);
  const Record elsewhere = sample_record(1, 0.05, "x86-sse42");
  Record equal = fast;
  equal.origin = "later";
  add({failed_record(1), sample_record(1, 0.2), fast, equal, sample_record(1, 0.3), elsewhere,
       failed_record(2)});
  EXPECT_EQ(*store_.best({}), (std::vector{fast, elsewhere}));
  const std::string task = sample_task(1).fingerprint;
  EXPECT_EQ(*store_.best({.task = task, .target = "x86-avx2"}), std::vector{fast});
  EXPECT_EQ(*store_.best({.target = "x86-sse42"}), std::vector{elsewhere});
  EXPECT_EQ(*store_.best({.task = sample_task(2).fingerprint}), std::vector<Record>());
}

TEST_F(StoreTest, KnowsTasksByFingerprintAndFamily) {
  ASSERT_TRUE(store_.add(std::vector{sample_task(1), sample_task(2), sample_task(3)}, {}));
  EXPECT_EQ(*store_.task(sample_task(2).fingerprint), sample_task(2));
  EXPECT_EQ(*store_.task("none"), std::nullopt);
  EXPECT_EQ(*store_.tasks("odd"), (std::vector{sample_task(1), sample_task(3)}));
  EXPECT_EQ(store_.tasks("")->size(), 3);
}

TEST_F(StoreTest, KeepsWhatWasSaidLastOfATask) {
  TaskEntry task = sample_task(1);
  ASSERT_TRUE(store_.add({&task, 1}, {}));
  task.family = "conv";
  task.sizes = {};
  ASSERT_TRUE(store_.add({&task, 1}, {}));
  EXPECT_EQ(*store_.tasks(""), std::vector{task});
}

TEST_F(StoreTest, CountsByTaskTargetAndOutcome) {
  add({sample_record(2, 0.1), sample_record(1, 0.1), sample_record(1, 0.2), failed_record(1),
       failed_record(1, "x86-sse42")});
  const Result<std::vector<RecordStore::Count>> counts = store_.counts();
  ASSERT_TRUE(counts) << counts.error().message;
  ASSERT_EQ(counts->size(), 3);
  EXPECT_EQ((*counts)[0].task, sample_task(1).fingerprint);
  EXPECT_EQ((*counts)[0].records,
            (std::map<Outcome, std::int64_t>{{Outcome::Ok, 2}, {Outcome::Crashed, 1}}));
  EXPECT_EQ((*counts)[1].target, "x86-sse42");
  EXPECT_EQ((*counts)[2].task, sample_task(2).fingerprint);
}

TEST_F(StoreTest, PrunesAllButTheFastest) {
  const Record elsewhere = sample_record(1, 0.9, "x86-sse42");
  add({sample_record(1, 0.3), failed_record(1), sample_record(1, 0.1), sample_record(1, 0.2),
       elsewhere, failed_record(2)});
  EXPECT_EQ(*store_.prune({.task = sample_task(2).fingerprint}, 1), 1);
  EXPECT_EQ(*store_.prune({}, 2), 2);
  EXPECT_EQ(all(), (std::vector{sample_record(1, 0.1), sample_record(1, 0.2), elsewhere}));
  EXPECT_EQ(*store_.prune({}, 2), 0);
  EXPECT_TRUE(store_.check());
}

TEST_F(StoreTest, IsSmallerWhenPruned) {
  std::vector<Record> records;
  for (int n = 1; n <= 2000; ++n) records.push_back(sample_record(1, n));
  add(records);
  const auto size_bytes = [&] {
    change("PRAGMA wal_checkpoint(TRUNCATE)");
    return std::filesystem::file_size(path_);
  };
  const std::uintmax_t before = size_bytes();
  EXPECT_EQ(*store_.prune({}, 10), 1990);
  EXPECT_LT(size_bytes(), before / 4);
}

TEST_F(StoreTest, AddsAllOrNothing) {
  Record bad = sample_record(1, 0.1);
  bad.measurement.seconds = {};
  const Result<std::int64_t> got =
      store_.add(std::vector{sample_task(1)}, std::vector{sample_record(1, 0.1), bad});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message,
            path_ + ": outcome ok with 0 timings, expected some if and only if ok");
  EXPECT_EQ(all(), std::vector<Record>());
  EXPECT_EQ(store_.tasks("")->size(), 0);
  EXPECT_EQ(add({sample_record(1, 0.1)}), 1);
}

TEST_F(StoreTest, RefusesRecordsOfUnknownTasks) {
  EXPECT_EQ(store_.add({}, std::vector{sample_record(1, 0.1)}).error().message,
            path_ + ": record of task " + sample_task(1).fingerprint + ", which is not known");
  TaskEntry task = sample_task(1);
  task.text = "\xff";
  EXPECT_EQ(store_.add({&task, 1}, {}).error().message, path_ + ": text: expected text in UTF-8");
}

TEST_F(StoreTest, WaitsForAnotherWriterAsLongAsToldTo) {
  const auto database = Database::open(path_, Database::Absent::Refuse, std::chrono::seconds(1));
  const Result<Transaction> other = Transaction::begin(**database);
  ASSERT_TRUE(other);
  Result<RecordStore> impatient = RecordStore::open(path_, std::chrono::milliseconds(20));
  ASSERT_TRUE(impatient) << impatient.error().message;
  EXPECT_EQ(impatient->add({}, {}).error().message, path_ + ": kept locked by another process");
  EXPECT_TRUE(impatient->best({}));
}

TEST_F(StoreTest, FindsRowsThatNobodyCouldHaveAdded) {
  add({sample_record(1, 0.1), sample_record(1, 0.2)});
  const auto expect_damaged = [&](const std::string& sql, const std::string& message) {
    change(sql);
    const Result<void> got = store_.check();
    ASSERT_FALSE(got) << sql;
    EXPECT_EQ(got.error().message, path_ + ": damaged: " + message);
  };
  expect_damaged("UPDATE record SET choices = 'x' WHERE id = 2",
                 "record 2: identity: not that of the record");
  expect_damaged("UPDATE record SET best_seconds = 7 WHERE id = 1",
                 "record 1: best_seconds: not those of the record");
  expect_damaged("UPDATE record SET seconds = '[]' WHERE id = 1",
                 "record 1: outcome ok with 0 timings, expected some if and only if ok");
  expect_damaged("UPDATE record SET seconds = 'x' WHERE id = 1",
                 "record 1: seconds: expected a list of numbers");
  expect_damaged("UPDATE record SET clock = 'x' WHERE id = 1",
                 "record 1: clock \"x\": no such clock");
  expect_damaged("UPDATE record SET outcome = 'x' WHERE id = 1",
                 "record 1: outcome \"x\": no such outcome");
  EXPECT_EQ(store_.visit({}, [](const Record&) { return true; }).error().message,
            path_ + ": damaged: record 1: outcome \"x\": no such outcome");
  EXPECT_EQ(store_.counts().error().message, path_ + ": damaged: outcome \"x\": no such outcome");
  expect_damaged("UPDATE task SET sizes = 'x' WHERE id = 1",
                 "task " + sample_task(1).fingerprint + ": sizes: expected a list of integers");
  expect_damaged("DELETE FROM task", "record 1: no such task");
}

}  // namespace
}  // namespace tessera
