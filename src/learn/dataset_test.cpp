#include "learn/dataset.h"

#include "base/file.h"
#include "base/temporary_folder.h"
#include "learn/metrics.h"
#include "ops/tasks.h"
#include "record/exchange.h"
#include "schedule/space.h"
#include "search/seeds.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// A data set of two tasks, of which the second is called by a network that is held out.
class DataFolder : public testing::Test {
 protected:
  DataFolder() {
    RecordStore store = *RecordStore::open((folder_ / "store.db").string());
    for (const Task& task : tasks_) {
      std::vector<Record> records;
      Rng rng(3);
      for (int n = 0; n < 6; ++n) {
        const Space::Chain chain = draw(Space(task), rng);
        records.push_back({.task = to_text(fingerprint(task)),
                           .target = to_text(task.target),
                           .schedule = to_text(chain.draft.schedule),
                           .choices = to_text(chain.names),
                           .origin = "random",
                           .measurement = {.seconds = {1e-3 * (1 + n)}},
                           .version = "test"});
      }
      records.front().measurement = {.outcome = Outcome::Crashed, .reason = "signal 11"};
      EXPECT_TRUE(store.add(std::vector{entry_of(task)}, records));
    }
    EXPECT_TRUE(export_records(store, data_, {}, "test"));
    EXPECT_TRUE(write_file(data_ + "/networks.json",
                           to_json({{.network = "held",
                                     .target = to_text(target_),
                                     .is_held_out = true,
                                     .calls = {{to_text(fingerprint(tasks_[1])), 2}}},
                                    {.network = "other batch 2",
                                     .target = to_text(target_),
                                     .calls = {{to_text(fingerprint(tasks_[0])), 1}}}})));
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  const std::string data_ = (folder_ / "data").string();
  const Target target_ = *parse_target("x86-avx2 cores=2");
  const std::vector<Task> tasks_{{*parse_task_spec("matmul:m=32,n=48,k=40"), target_},
                                 {*parse_task_spec("matmul:m=64,n=48,k=40"), target_}};
};

TEST_F(DataFolder, IsReadAsListsOfSchedules) {
  const Result<Dataset> data = read_dataset(data_);
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->lists.size(), 2U);
  const ScheduleList* held = data->find(to_text(fingerprint(tasks_[1])));
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->purpose, Purpose::HeldOut);
  EXPECT_EQ(fingerprint(held->task), fingerprint(tasks_[1]));
  EXPECT_LE(held->schedules.size(), 5U);  // one crashed
  EXPECT_EQ(std::ranges::max(held->labels()), 1);
  EXPECT_EQ(held->estimates.size(), held->schedules.size());
  EXPECT_NE(data->find(to_text(fingerprint(tasks_[0])))->purpose, Purpose::HeldOut);
}

TEST_F(DataFolder, IsRefusedWhenDamaged) {
  EXPECT_TRUE(read_dataset(data_));
  EXPECT_NE(read_dataset(data_, 100).error().message.find("nothing to learn from"),
            std::string::npos);
  const std::string tasks = *read_file(data_ + "/tasks.jsonl");
  ASSERT_TRUE(write_file(data_ + "/tasks.jsonl", tasks + "\n"));
  EXPECT_NE(read_dataset(data_).error().message.find("damaged"), std::string::npos);
  ASSERT_TRUE(write_file(data_ + "/tasks.jsonl", tasks));
  ASSERT_TRUE(write_file(data_ + "/networks.json", "{}"));
  EXPECT_FALSE(read_dataset(data_));
}

TEST_F(DataFolder, IsRefusedWhenNothingTellsWhatIsHeldOut) {
  ASSERT_TRUE(write_file(data_ + "/networks.json", to_json(std::vector<NetworkUses>())));
  EXPECT_EQ(read_dataset(data_).error().message, data_ + "/networks.json: no networks of target " +
                                                     to_text(target_) +
                                                     ", of which there are records");
}

TEST_F(DataFolder, JudgesRankingsOfNetworksHeldOut) {
  const Dataset data = *read_dataset(data_);
  const auto oracle = [](const ScheduleList& list) {
    std::vector<double> scores;
    for (const double seconds : list.seconds) scores.push_back(-seconds);
    return scores;
  };
  const auto worst = [](const ScheduleList& list) { return list.seconds; };
  const Ranking best = judge(data, to_text(target_), oracle);
  EXPECT_EQ(best.top1.mean, 1);
  EXPECT_EQ(best.top5.pooled, 1);
  EXPECT_EQ(best.pairs, 1);
  const Ranking reversed = judge(data, to_text(target_), worst);
  const ScheduleList& held = *data.find(to_text(fingerprint(tasks_[1])));
  EXPECT_DOUBLE_EQ(reversed.top1.of_networks.at("held"),
                   held.best_seconds() / std::ranges::max(held.seconds));
  EXPECT_EQ(reversed.pairs, 0);
  EXPECT_EQ(judge(data, "another", oracle).top1.of_networks.size(), 0U);
}

TEST_F(DataFolder, CanHoldOutOtherNetworks) {
  const Dataset data = *read_dataset(data_);
  const Result<Dataset> other = with_held_out(data, {"other"});
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->find(to_text(fingerprint(tasks_[1]))), nullptr);
  EXPECT_EQ(other->find(to_text(fingerprint(tasks_[0])))->purpose, Purpose::HeldOut);
  EXPECT_NE(other->fingerprint, data.fingerprint);
  for (const char* none : {"held", "unknown"})
    EXPECT_EQ(with_held_out(data, {none}).error().message,
              std::string("network ") + none + ": not one of those that models learn from");
}

TEST(Metrics, TakeTheFirstOfEqualScoresAndHalfATie) {
  const std::vector<double> scores{1, 1, 0}, seconds{3, 2, 1};
  EXPECT_EQ(best_of_top(scores, seconds, 1), 3);
  EXPECT_EQ(best_of_top(scores, seconds, 2), 2);
  EXPECT_EQ(best_of_top(scores, seconds, 9), 1);
  EXPECT_DOUBLE_EQ(pair_accuracy(scores, seconds), 0.5 / 3);
}

}  // namespace
}  // namespace tessera
