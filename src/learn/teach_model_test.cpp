#include "learn/teach_model.h"

#include "base/rng.h"
#include "base/temporary_folder.h"
#include "learn/knowledge_base.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

constexpr std::size_t width = token_width;

/// Programs of three rows, of which the second is the target's.
ScheduleList list_of(const std::string& target) {
  ScheduleList list;
  list.task.target.name = target;
  for (int n = 0; n < 8; ++n) list.seconds.push_back(1 + n);
  return list;
}

EncodedList encoded(const ScheduleList& list, float hardware) {
  Rng rng(1);
  Rows rows{.width = width};
  for (std::size_t n = 0; n < list.seconds.size(); ++n) {
    for (std::size_t k = 0; k < 3 * width; ++k)
      rows.values.push_back(k / width == target_row ? hardware : static_cast<float>(rng.unit()));
    rows.starts.push_back(rows.starts.back() + 3);
  }
  return {&list, std::move(rows), list.labels()};
}

TEST(TeachModel, WritesAMambaThatProtectsWhatItKnows) {
  const ScheduleList one = list_of("one"), other = list_of("other");
  const EncodedDataset data{
      .training = {encoded(one, 1), encoded(other, 2), encoded(other, 2)},
      .validation = {encoded(one, 1)},
      .fingerprint = "of nothing",
  };
  const Lecture lecture{.shape = {.kind = "mamba", .model_width = 16, .states = 4},
                        .options = {.epochs = 1}};
  const TemporaryFolder folder = *TemporaryFolder::make();
  const std::string path = (folder / "weights").string();
  const Result<Taught> taught = teach_model(lecture, data, path, {});
  ASSERT_TRUE(taught) << taught.error().message;
  Result<TrainedRanker> trained = read_trained_ranker(path);
  ASSERT_TRUE(trained) << trained.error().message;
  EXPECT_EQ(trained->facts.at("data"), "of nothing");
  const Result<KnowledgeBase> base = to_knowledge_base(*std::move(trained));
  ASSERT_TRUE(base) << base.error().message;
  EXPECT_EQ(base->known, (std::vector<KnownPlatform>{
                             {to_text(one.task.target), std::vector<float>(width, 1)},
                             {to_text(other.task.target), std::vector<float>(width, 2)}}));
  EXPECT_EQ(base->importance.size(), base->weights.size());
}

}  // namespace
}  // namespace tessera
