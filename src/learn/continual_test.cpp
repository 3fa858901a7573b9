#include "learn/continual.h"

#include "base/file.h"
#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tessera {
namespace {

class PlatformTable : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    EXPECT_TRUE(write_file(path_, text));
    return path_;
  }
  std::string refusal(const std::string& text) {
    const Result<std::vector<Platform>> read = read_platform_table(write(text), 1);
    return read ? "read" : read.error().message.substr(path_.size() + 2);
  }
  /// Two devices that want the opposite of `a`, and both a large `b`.
  std::string opposites() {
    std::string text = "a,b,time_ms:one,time_ms:other\n";
    for (int a = 0; a < 24; ++a)
      for (int b = 0; b < 24; ++b)
        text += std::to_string(a) + "," + std::to_string(b) + "," +
                std::to_string(30 - a + (24 - b) * 0.3) + "," +
                (a == 7 && b == 7 ? "" : std::to_string(7 + a + (24 - b) * 0.3)) + "\n";
    return text;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  const std::string path_ = (folder_ / "table.csv").string();
};

TEST_F(PlatformTable, IsReadAsPlatforms) {
  const Result<std::vector<Platform>> platforms = read_platform_table(write(opposites()), 1);
  ASSERT_TRUE(platforms) << platforms.error().message;
  ASSERT_EQ(platforms->size(), 2U);
  const Platform& one = platforms->front();
  EXPECT_EQ(one.name, "one");
  EXPECT_NEAR(static_cast<double>(one.pool.front().rows.size()), 384, 40);
  EXPECT_EQ(one.pool.front().rows.length(0), 3U);  // the device and two parameters
  EXPECT_EQ(std::ranges::max(one.pool.front().labels), 1);
  // the value of `a` stands behind three kinds of rows
  const auto large_a = [](const Rows& rows) {
    std::vector<float> scores;
    for (std::size_t n = 0; n < rows.size(); ++n) scores.push_back(rows.of(n)[rows.width + 3]);
    return scores;
  };
  EXPECT_GT(one.judge(large_a).pairs, 0.8);
  EXPECT_LT(platforms->back().judge(large_a).pairs, 0.2);
}

TEST_F(PlatformTable, IsRefusedWhenItIsNotOne) {
  EXPECT_EQ(refusal("a,time_ms:one\n1,2\n"), "1 columns time_ms:DEVICE, expected two at least");
  EXPECT_EQ(refusal("time_ms:one,time_ms:two\n1,2\n"), "no columns of parameters");
  EXPECT_EQ(refusal("a,time_ms:one,time_ms:two\n1,2,fast\n"),
            "line 2: \"fast\", expected a time in milliseconds");
  EXPECT_EQ(refusal("a,time_ms:one,time_ms:two\n1,2,-3\n"),
            "line 2: \"-3\", expected a time in milliseconds");
  EXPECT_EQ(refusal("a,time_ms:one,time_ms:two\nx,2,3\n"), "line 2: \"x\", expected a number");
  EXPECT_EQ(refusal("a,time_ms:one,time_ms:two\n1,2\n"), "line 2: 2 fields, expected 3");
  EXPECT_EQ(refusal("a,time_ms:one,b\n"), "line 1: column \"b\" behind those of times");
  EXPECT_EQ(refusal("a,time_ms:one,time_ms:two\n1,2,\n2,,3\n"),
            "0 configurations that run on all devices, expected 100 at least");
  EXPECT_FALSE(read_platform_table(path_ + ".none", 1));
}

TEST_F(PlatformTable, IsLearnedDeviceByDeviceWithoutForgetting) {
  const std::vector<Platform> platforms = *read_platform_table(write(opposites()), 1);
  RankerShape shape{.kind = "mamba",
                    .width = platforms.front().pool.front().rows.width,
                    .scales = scales_of(platforms.front().pool),
                    .model_width = 16,
                    .states = 4};
  const std::vector<const Platform*> order = {&platforms[0], &platforms[1]};
  const std::vector<Measured> measured = {pick_measured(platforms[0], 0.25, 1),
                                          pick_measured(platforms[1], 0.25, 1)};
  for (const std::string_view name : continual_names()) {
    const DistilOptions options{.learning_steps = 120, .distilling_steps = 240, .threads = 2};
    const std::unique_ptr<ContinualLearner> learner = *make_continual(name, shape, options);
    const Result<TransferMatrix> matrix = learn_in_turn(*learner, order, measured);
    ASSERT_TRUE(matrix) << matrix.error().message;
    EXPECT_GT(matrix->top1[0][0], matrix->untrained[0]) << name;
    if (name == "lwf") {  // stays with what it said, and the other device wants the opposite
      EXPECT_NEAR(matrix->top1[1][0], matrix->top1[0][0], 0.1);
    } else {
      EXPECT_GT(matrix->top1[1][1], matrix->top1[0][1]) << name;
    }
    if (name == "distil") {
      EXPECT_LT(matrix->forgetting(), 0.1);
    }
    const bool keeps = name == "joint" || name == "mtl-tlp";  // 1 % of so few is none
    EXPECT_EQ(learner->kept_data_bytes() > 0, keeps) << name;
  }
  EXPECT_EQ(make_continual("guess", shape, {}).error().message,
            "way of learning \"guess\": expected one of distil, scratch, fine-tune, joint, ewc, "
            "lwf, replay, mtl-tlp");
}

TEST_F(PlatformTable, OfWhichOneDeviceIsLearnedTwiceIsKnownOnce) {
  const std::vector<Platform> platforms = *read_platform_table(write(opposites()), 1);
  KnowledgeBase base{.shape = {.kind = "mamba",
                               .width = platforms.front().pool.front().rows.width,
                               .model_width = 16,
                               .states = 4},
                     .weights = {}};
  for (const std::size_t n : {0U, 1U, 0U}) {
    Result<KnowledgeBase> next =
        learn_platform(base, platforms[n], pick_measured(platforms[n], 0.1, 1),
                       {.learning_steps = 1, .distilling_steps = 1});
    ASSERT_TRUE(next) << next.error().message;
    base = *std::move(next);
  }
  const auto known = [&](std::size_t n) {
    return KnownPlatform{platforms[n].name, hardware_of(platforms[n].pool.front(), 0)};
  };
  EXPECT_EQ(base.known, (std::vector{known(1), known(0)}));
}

TEST(TransferMatrix, TellsWhatWasKeptAndCarriedOver) {
  const TransferMatrix matrix{.untrained = {0.5, 0.5, 0.4},
                              .top1 = {{0.9, 0.6, 0.5}, {0.8, 0.9, 0.6}, {0.85, 0.8, 0.95}},
                              .seconds = {}};
  EXPECT_NEAR(matrix.average(), (0.85 + 0.8 + 0.95) / 3, 1e-12);
  EXPECT_NEAR(matrix.backward_transfer(), (-0.05 - 0.1) / 2, 1e-12);
  EXPECT_NEAR(matrix.forward_transfer(), (0.1 + 0.2) / 2, 1e-12);
  EXPECT_NEAR(matrix.forgetting(), (0.05 + 0.1) / 2, 1e-12);
}

}  // namespace
}  // namespace tessera
