#include "learn/training.h"

#include "base/rng.h"
#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace tessera {
namespace {

constexpr std::size_t width = 6;

/// Lists whose programs are the faster the larger their first column is.
struct Lists {
  std::vector<ScheduleList> plain;
  std::vector<EncodedList> encoded;

  Lists(std::size_t count, std::uint64_t seed) : plain(count) {
    Rng rng(seed);
    for (ScheduleList& list : plain) {
      Rows rows{.width = width};
      for (int program = 0; program < 40; ++program) {
        float sum = 0;
        for (int row = 0; row < 3; ++row)
          for (std::size_t column = 0; column < width; ++column) {
            rows.values.push_back(static_cast<float>(rng.unit()));
            if (column == 0) sum += rows.values.back();
          }
        rows.starts.push_back(rows.starts.back() + 3);
        list.seconds.push_back(1 / (0.1 + static_cast<double>(sum)));
      }
      encoded.push_back({nullptr, std::move(rows), list.labels()});
    }
    for (std::size_t n = 0; n < count; ++n) encoded[n].list = &plain[n];
  }
};

TEST(Sharpened, TellsTheFastestApart) {
  const std::vector<float> few = sharpened(std::vector<float>{0.5F, 1, 0.95F});
  EXPECT_NEAR(few[0], 1.0 / 64, 1e-6);
  EXPECT_EQ(few[1], 1);
  EXPECT_NEAR(few[2], 0.735, 1e-3);
  EXPECT_TRUE(sharpened({}).empty());
}

TEST(Sharpened, TellsTheRestApartWhereFewAreFast) {
  std::vector<float> labels(20, 0.01F);
  labels[3] = 1;
  labels[7] = 0.8F;
  labels[9] = 0.1F;  // the third of twenty
  const std::vector<float> sharp = sharpened(labels);
  EXPECT_EQ(sharp[3], 1);
  EXPECT_NEAR(sharp[9], 0.3, 1e-6);
  EXPECT_NEAR(sharp[0], 0.09, 1e-6);
}

class Teaching : public testing::Test {
 protected:
  std::unique_ptr<Ranker> ranker() const {
    auto made = make_ranker({.kind = "mamba", .width = width, .model_width = 16}, 1, 1);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *std::move(made) : nullptr;
  }
  TrainingProgress teach_for(Ranker& ranker, std::int64_t epochs, std::int64_t stop_after = 1000) {
    TrainingOptions options{.epochs = 8, .learning_rate = 3e-3, .lists_per_step = 4};
    options.epochs = epochs;
    options.is_stopped = [=, asked = std::int64_t{0}]() mutable { return ++asked > stop_after; };
    const auto done = teach(ranker, training_.encoded, validation_.encoded, options, checkpoint_,
                            "key " + std::to_string(epochs), {});
    EXPECT_TRUE(done) << done.error().message;
    return done ? *done : TrainingProgress();
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  const std::string checkpoint_ = (folder_ / "checkpoint").string();
  const Lists training_{12, 1}, validation_{4, 2};
};

TEST_F(Teaching, RanksListsThatItHasNotSeen) {
  const std::unique_ptr<Ranker> one = ranker();
  ASSERT_NE(one, nullptr);
  const double before = quality_of(*one, validation_.encoded);
  const TrainingProgress done = teach_for(*one, 8);
  EXPECT_GT(quality_of(*one, validation_.encoded), std::max(before, 0.9));
  EXPECT_EQ(quality_of(*one, validation_.encoded), done.best_quality);
  EXPECT_FALSE(std::filesystem::exists(checkpoint_));
}

TEST_F(Teaching, GoesOnAsIfItHadNotBeenStopped) {
  const std::unique_ptr<Ranker> whole = ranker(), first = ranker(), second = ranker();
  ASSERT_NE(second, nullptr);
  teach_for(*whole, 6);
  EXPECT_EQ(teach_for(*first, 6, 2).epoch, 2);
  EXPECT_TRUE(std::filesystem::exists(checkpoint_));
  teach_for(*second, 6);
  EXPECT_EQ(second->weights(), whole->weights());
}

TEST_F(Teaching, LeavesCheckpointsOfOthersAlone) {
  const std::unique_ptr<Ranker> first = ranker(), second = ranker();
  ASSERT_NE(second, nullptr);
  teach_for(*first, 6, 1);
  EXPECT_EQ(teach_for(*second, 5).epoch, 5);  // begins anew
}

}  // namespace
}  // namespace tessera
