#include "learn/adapt.h"

#include "base/temporary_folder.h"
#include "model/trained_ranker.h"
#include "ops/tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

class Adapting : public testing::Test {
 protected:
  Adapting() {
    for (int n = 0; n < 6; ++n)
      tasks_.push_back(
          {.computation = *parse_task_spec("matmul:m=32,n=48,k=" + std::to_string(16 + 8 * n)),
           .target = detect_host()});
  }

  Result<Adapted> run(const std::function<bool()>& is_stopped = {}) {
    AdaptOptions options{.programs_per_task = 12, .programs_at_once = 8, .version = "test"};
    options.distil.learning_steps = options.distil.distilling_steps = 2;
    options.distil.is_stopped = is_stopped;
    const RankerShape shape{.kind = "mamba", .width = token_width, .model_width = 16, .states = 4};
    const Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, 1, 1);
    EXPECT_TRUE(ranker) << ranker.error().message;
    const KnowledgeBase base{.shape = shape, .weights = (*ranker)->weights(), .known = known_};
    return adapt(base, tasks_, *backend_, store_, options, {});
  }
  std::size_t record_count() const {
    std::size_t count = 0;
    EXPECT_TRUE(store_.visit({}, [&](const Record&) {
      ++count;
      return true;
    }));
    return count;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  RecordStore store_ = *RecordStore::open((folder_ / "store.db").string());
  std::vector<Task> tasks_;
  std::vector<KnownPlatform> known_;
  const std::unique_ptr<Backend> backend_ = llvm_backend();
};

TEST_F(Adapting, LearnsFromWhatItMeasuredAndMeasuresNothingTwice) {
  const Result<Adapted> first = run();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->measured, 6 * 12U);
  EXPECT_EQ(first->base.known.size(), 1U);
  EXPECT_FALSE(first->base.importance.empty());
  const std::size_t records = record_count();
  EXPECT_GE(records, 50U);  // some chains give the same schedule
  const Result<Adapted> second = run();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->measured, first->measured);
  EXPECT_EQ(record_count(), records);
}

TEST_F(Adapting, RemembersOtherTargetsByProgramsOfTheirs) {
  known_ = {{"x86-sse42 cores=4", std::vector<float>(token_width, 1)}};
  const Result<Adapted> adapted = run();
  ASSERT_TRUE(adapted) << adapted.error().message;
  ASSERT_EQ(adapted->base.known.size(), 2U);
  EXPECT_EQ(adapted->base.known[0], known_[0]);
  EXPECT_EQ(adapted->base.known[1].name, to_text(tasks_.front().target));
  known_ = {{"abacus", std::vector<float>(token_width, 1)}};
  const Result<Adapted> refused = run();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("known platform abacus: "))
      << refused.error().message;
}

TEST_F(Adapting, KeepsWhatWasMeasuredWhenItIsStopped) {
  const Result<Adapted> stopped = run([rounds = 0]() mutable { return ++rounds > 9; });
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message.find("run it again and it goes on"), std::string::npos)
      << stopped.error().message;
  const std::size_t records = record_count();
  EXPECT_GT(records, 0U);
  const Result<Adapted> all = run();
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->measured, 6 * 12U);
}

}  // namespace
}  // namespace tessera
