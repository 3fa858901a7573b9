#include "learn/collect.h"

#include "base/temporary_folder.h"
#include "ops/infer.h"
#include "ops/tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tessera {
namespace {

CorpusTask task_for(const char* spec) {
  return {.task = {.computation = *parse_task_spec(spec), .target = detect_host()}, .uses = {}};
}

class Collecting : public testing::Test {
 protected:
  CollectProgress run(std::size_t schedules, const std::function<bool()>& is_stopped = {}) {
    CollectOptions options{.schedules = schedules, .further_schedules = 30, .version = "test"};
    options.is_stopped = is_stopped;
    const Result<CollectProgress> done = collect(tasks_, *backend_, store_, options, {});
    EXPECT_TRUE(done) << done.error().message;
    return done ? *done : CollectProgress();
  }
  std::vector<Record> records() const {
    std::vector<Record> all;
    EXPECT_TRUE(store_.visit({}, [&](const Record& record) {
      all.push_back(record);
      return true;
    }));
    return all;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  RecordStore store_ = *RecordStore::open((folder_ / "store.db").string());
  std::vector<CorpusTask> tasks_{task_for("matmul:m=32,n=48,k=40"),
                                 task_for("add:rows=16,cols=16")};
  const std::unique_ptr<Backend> backend_ = llvm_backend();
};

TEST_F(Collecting, MeasuresAsManySchedulesAsThereAreOrAreWanted) {
  const CollectProgress done = run(60);
  EXPECT_EQ(done.tasks_done, 2U);
  std::map<std::string, std::set<std::string>> schedules, origins;
  for (const Record& record : records()) {
    schedules[record.task].insert(record.schedule);
    origins[record.task].insert(record.origin);
  }
  const std::string matmul = to_text(fingerprint(tasks_[0].task));
  EXPECT_GE(schedules[matmul].size(), 50U);  // some chains give the same schedule
  EXPECT_EQ(origins[matmul], (std::set<std::string>{"default", "random", "evolve"}));
  EXPECT_EQ(done.wanted, done.measured);
}

TEST_F(Collecting, MeasuresFewerSchedulesOfFurtherTasks) {
  tasks_.front().is_further = true;
  tasks_.pop_back();
  const CollectProgress done = run(60);
  EXPECT_EQ(done.measured, 30);
  EXPECT_EQ(done.wanted, 30);
}

TEST_F(Collecting, GoesOnWhereItWasStopped) {
  const CollectProgress first = run(60, [rounds = 0]() mutable { return ++rounds > 2; });
  EXPECT_LT(first.tasks_done, 2U);
  const CollectProgress second = run(60);
  EXPECT_EQ(second.known, first.measured);
  EXPECT_EQ(second.tasks_done, 2U);
  EXPECT_EQ(run(60).measured, 0);
}

TEST(Corpus, HoldsOutFiveNetworks) {
  EXPECT_EQ(std::ranges::count(corpus(), true, &CorpusNetwork::is_held_out), 5);
}

TEST(Corpus, HasNetworksWhoseShapesAreKnown) {
  for (const CorpusNetwork& network : corpus()) {
    Result<Graph> graph = corpus_graph(network);
    ASSERT_TRUE(graph) << network.name << ": " << graph.error().message;
    EXPECT_TRUE(infer(*std::move(graph)).problems.empty()) << network.name;
  }
}

TEST(Corpus, VariesBatchAndResolution) {
  const auto network =
      std::ranges::find(corpus(), "squeezenet batch 2 pixels 192", &CorpusNetwork::name);
  ASSERT_NE(network, corpus().end());
  Result<Graph> graph = corpus_graph(*network);
  ASSERT_TRUE(graph) << graph.error().message;
  const Inferred inferred = infer(*std::move(graph));
  EXPECT_TRUE(inferred.problems.empty());
  EXPECT_EQ(inferred.graph.types.at(inferred.graph.outputs.front()).shape, (Shape{2, 1000}));
}

}  // namespace
}  // namespace tessera
