#include "search/tuner.h"

#include "base/temporary_folder.h"
#include "package/build.h"
#include "runtime/package.h"
#include "search/contest.h"
#include "search/plan_records.h"
#include "search/seeds.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace tessera {
namespace {

Graph small_network() {
  return SmallGraph()
      .input("x", {1, 16, 12, 12})
      .weights("w", {16, 16, 3, 3})
      .weights("v", {24, 16, 1, 1})
      .node("Conv", {"x", "w"}, "a", {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}})
      .node("Relu", {"a"}, "b")
      .node("Conv", {"b", "w"}, "c", {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}})
      .node("Relu", {"c"}, "d")
      .node("Conv", {"d", "v"}, "y")
      .output("y")
      .inferred();
}

Network network_for(const Target& target) {
  PriorDrafts drafts;
  return *extract_network(small_network(), target, drafts);
}

class Tuning : public testing::Test {
 protected:
  RecordStore store() const { return *RecordStore::open((folder_ / "store.db").string()); }

  TuneOptions options(std::int64_t trials) const {
    TuneOptions options;
    options.budget_seconds = 0;
    options.budget_trials = trials;
    options.version = "test";
    return options;
  }

  std::vector<Record> all(const RecordStore& store) const {
    std::vector<Record> records;
    EXPECT_TRUE(store.visit({}, [&](const Record& record) {
      records.push_back(record);
      return true;
    }));
    return records;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  const Target target_ = detect_host();
  const Network network_ = network_for(target_);
  const std::unique_ptr<Backend> backend_ = llvm_backend();
};

TEST_F(Tuning, MeasuresDefaultsFirstAndRecordsEverything) {
  RecordStore records = store();
  Result<Tuner> tuner = Tuner::make(network_, target_, *backend_, records, {}, options(60));
  ASSERT_TRUE(tuner) << tuner.error().message;
  ASSERT_TRUE(tuner->tune());
  EXPECT_GE(tuner->run().trials(), 60);
  EXPECT_EQ(std::ssize(all(records)), tuner->run().trials());
  const std::size_t tasks = tuner->tasks().size();
  for (std::size_t n = 0; n < tasks; ++n) {
    EXPECT_EQ(all(records)[n].origin, "default");
    EXPECT_GT(tuner->run().tasks[n].untuned_seconds, 0);
    EXPECT_LE(tuner->run().tasks[n].best_seconds, tuner->run().tasks[n].untuned_seconds);
  }
  EXPECT_EQ(tuner->run().outcomes.at(Outcome::Ok), tuner->run().trials());
}

TEST_F(Tuning, GoesOnWhereTheLastRunEnded) {
  RecordStore records = store();
  for (std::int64_t run = 0, known = 0; run < 2; ++run) {
    Result<Tuner> tuner = Tuner::make(network_, target_, *backend_, records, {}, options(50));
    ASSERT_TRUE(tuner) << tuner.error().message;
    EXPECT_EQ(tuner->run().known, known);
    EXPECT_EQ(tuner->run().outdated, 0);
    ASSERT_TRUE(tuner->tune());
    std::set<std::pair<std::string, std::string>> distinct;
    for (const Record& record : all(records)) distinct.emplace(record.task, record.schedule);
    known = std::ssize(distinct);
  }
}

/// The last timing of each schedule, by task.
using LastTimings = std::map<std::string, std::map<std::string, double>>;

TEST_F(Tuning, MeasuresOnlyTheFastestAgain) {
  RecordStore records = store();
  Result<Tuner> tuner = Tuner::make(network_, target_, *backend_, records, {}, options(400));
  ASSERT_TRUE(tuner) << tuner.error().message;
  ASSERT_TRUE(tuner->tune());
  LastTimings last;
  std::set<std::pair<std::string, std::string>> were_fastest;
  std::int64_t again = 0;
  for (const Record& record : all(records)) {
    std::map<std::string, double>& of_task = last[record.task];
    if (of_task.contains(record.schedule)) {
      ++again;
      EXPECT_TRUE(were_fastest.contains({record.task, record.schedule})) << record.schedule;
    }
    of_task[record.schedule] = record.measurement.best();
    double fastest = record.measurement.best();
    for (const auto& [schedule, seconds] : of_task) fastest = std::min(fastest, seconds);
    for (const auto& [schedule, seconds] : of_task)  // a clock finds several alike
      if (seconds == fastest) were_fastest.emplace(record.task, schedule);
  }
  EXPECT_GT(again, 0);
  for (const TaskProgress& task : tuner->run().tasks)
    EXPECT_EQ(task.best_seconds, last[task.task][task.schedule]);
}

TEST_F(Tuning, StopsWhenAsked) {
  RecordStore records = store();
  TuneOptions endless = options(0);
  endless.budget_seconds = 3600;
  endless.is_stopped = [rounds = 0]() mutable { return ++rounds > 2; };
  Result<Tuner> tuner = Tuner::make(network_, target_, *backend_, records, {}, std::move(endless));
  ASSERT_TRUE(tuner) << tuner.error().message;
  ASSERT_TRUE(tuner->tune());
  EXPECT_LE(tuner->run().trials(), std::ssize(tuner->tasks()) + 2 * 16);
}

TEST_F(Tuning, CountsRecordsThatNoLongerApply) {
  RecordStore records = store();
  const NetworkTask task = tasks_of(network_, target_).front();
  const Record old{.task = to_text(fingerprint(task.task)),
                   .target = to_text(target_),
                   .schedule = "split gone [4]\n",
                   .choices = "gone.tile=1x1",
                   .origin = "evolve",
                   .measurement = {.seconds = {1e-9}},
                   .version = "before"};
  ASSERT_TRUE(records.add(std::vector{entry_of(task.task)}, std::vector{old}));
  const Result<Tuner> tuner = Tuner::make(network_, target_, *backend_, records, {}, options(10));
  ASSERT_TRUE(tuner) << tuner.error().message;
  EXPECT_EQ(tuner->run().outdated, 1);
  EXPECT_EQ(tuner->run().known, 0);
  const auto schedules = recorded_schedules(records, {task});
  ASSERT_FALSE(schedules);
  EXPECT_NE(schedules.error().message.find("its schedule no longer applies"), std::string::npos)
      << schedules.error().message;
}

TEST_F(Tuning, SeedsComeFromTheSameComputationOnOtherTargets) {
  RecordStore records = store();
  const NetworkTask task = tasks_of(network_, target_).front();
  Task elsewhere = task.task;
  elsewhere.target.l2_bytes *= 2;
  TaskSearch there(elsewhere);
  Rng rng(5);
  const Space::Chain chain = draw(there.space(), rng);
  const Record record{.task = to_text(fingerprint(elsewhere)),
                      .target = to_text(elsewhere.target),
                      .schedule = to_text(chain.draft.schedule),
                      .choices = to_text(chain.names),
                      .origin = "evolve",
                      .measurement = {.seconds = {1e-3}},
                      .version = "test"};
  ASSERT_TRUE(records.add(std::vector{entry_of(elsewhere)}, std::vector{record}));
  const auto seeds = seeds_for(TaskSearch(task.task), records, 4);
  ASSERT_TRUE(seeds) << seeds.error().message;
  ASSERT_EQ(seeds->size(), 1);
  EXPECT_EQ(seeds->front().origin, "store");
  EXPECT_EQ(seeds->front().chain.names, chain.names);
}

TEST_F(Tuning, PlansOfANetworkAreFoundAgain) {
  RecordStore records = store();
  const std::vector<NetworkTask> tasks = tasks_of(network_, target_);
  EXPECT_NE(recorded_schedules(records, tasks).error().message.find("tune the network first"),
            std::string::npos);
  std::vector<Schedule> schedules;
  Rng rng(3);
  for (const NetworkTask& one : tasks)
    schedules.push_back(draw(Space(one.task), rng).draft.schedule);
  ASSERT_TRUE(record_plan(records, tasks, schedules, std::vector<double>(tasks.size(), 1), "test"));
  const auto found = recorded_schedules(records, tasks);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, schedules);
}

TEST_F(Tuning, ContestComparesWholeNetworks) {
  const std::vector<NetworkTask> tasks = tasks_of(network_, target_);
  Contest contest(network_, target_, *backend_, {.threads = 1, .folder = folder_.path().string()});
  std::vector<Schedule> defaults, plain(tasks.size());
  for (const NetworkTask& one : tasks) defaults.push_back(default_schedule(one.task));
  for (std::size_t n = 0; n < tasks.size(); ++n)
    for (const auto& [tensor, layout] : tasks[n].task.layouts)
      plain[n].push_back(ChooseLayout{tensor, layout});
  ASSERT_TRUE(contest.enter("untuned", defaults));
  ASSERT_TRUE(contest.enter("plain", plain));
  const auto finalists = contest.compare(0.05);
  ASSERT_TRUE(finalists) << finalists.error().message;
  ASSERT_EQ(finalists->size(), 2);
  EXPECT_LE((*finalists)[0].min_ms, (*finalists)[0].median_ms);
  const auto best = contest.best_in_place();
  ASSERT_TRUE(best) << best.error().message;
  ASSERT_EQ(best->size(), tasks.size());
  const std::string path = (folder_ / "winner.tessera").string();
  ASSERT_TRUE(contest.write("untuned", path));
  EXPECT_TRUE(Package::open(path));
}

TEST_F(Tuning, RefusesUnknownNames) {
  RecordStore records = store();
  TuneOptions unknown = options(10);
  unknown.cost_model = "oracle";
  EXPECT_EQ(Tuner::make(network_, target_, *backend_, records, {}, unknown).error().message,
            "cost model oracle: not known, expected mamba, tlp, tenset-mlp, gbdt, trees or prior");
}

}  // namespace
}  // namespace tessera
