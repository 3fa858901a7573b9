#include "learn/seen_programs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera {
namespace {

constexpr std::size_t width = 6;

/// Lists of programs of three rows, labels by lot.
Platform platform_of(std::size_t lists, std::size_t programs) {
  Rng rng(2);
  Platform platform{.name = "a", .pool = {}, .judge = {}};
  for (std::size_t list = 0; list < lists; ++list) {
    EncodedList& one = platform.pool.emplace_back();
    one.rows.width = width;
    for (std::size_t n = 0; n < programs; ++n) {
      for (std::size_t k = 0; k < 3 * width; ++k)
        one.rows.values.push_back(static_cast<float>(rng.unit()));
      one.rows.starts.push_back(one.rows.starts.back() + 3);
      one.labels.push_back(static_cast<float>(rng.unit()));
    }
  }
  return platform;
}

KnowledgeBase small_base() {
  const RankerShape shape{.kind = "mamba", .width = width, .model_width = 16, .states = 4};
  return {.shape = shape, .weights = (*make_ranker(shape, 1, 1))->weights()};
}

TEST(SeenPrograms, ArePickedWithAShareOfEachList) {
  const Platform platform = platform_of(5, 40);
  const Result<Measured> measured = pick_by_base(small_base(), platform, 0.2, {});
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->size(), 5U);
  for (const std::vector<bool>& list : *measured) EXPECT_EQ(std::ranges::count(list, true), 8);
}

TEST(SeenPrograms, AreNotPickedWhenStopped) {
  const Result<Measured> measured =
      pick_by_base(small_base(), platform_of(1, 8), 0.5, {.is_stopped = [] { return true; }});
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().message, "stopped");
}

TEST(SeenPrograms, HaveVotesByWhatWasMeasuredAlone) {
  const Platform platform = platform_of(1, 30);
  const std::vector<const Rows*> rows = {&platform.pool.front().rows};
  Result<SeenPrograms> seen = seen_by(small_base(), rows, 1);
  ASSERT_TRUE(seen) << seen.error().message;
  const auto voted = [&](std::vector<float> labels) {
    Rng rng(1);
    let_vote(*seen, [&](std::size_t) { return labels; }, rng);
    return seen->pool.lists.front().votes;
  };
  std::vector<float> labels = platform.pool.front().labels;
  EXPECT_TRUE(voted(labels).empty()) << "nothing is measured";
  for (std::size_t n = 0; n < 10; ++n) seen->pool.lists.front().is_measured[n] = true;
  const auto votes = voted(labels);
  EXPECT_EQ(votes.size(), 4U);
  labels[20] = 1 - labels[20];
  EXPECT_EQ(voted(labels), votes);
  labels[5] = 1 - labels[5];
  EXPECT_NE(voted(labels), votes);
}

}  // namespace
}  // namespace tessera
