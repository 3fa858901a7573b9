#include "model/torch/batches.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// Programs of so many rows.
Rows programs(const std::vector<std::size_t>& lengths) {
  Rows rows{.width = 0};
  for (const std::size_t length : lengths) rows.starts.push_back(rows.starts.back() + length);
  return rows;
}

std::vector<std::pair<std::size_t, std::size_t>> ends(const std::vector<Batch>& batches) {
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  for (const Batch& batch : batches) ends.emplace_back(batch.first, batch.end);
  return ends;
}

using Ends = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(Batches, HoldListsAsLongAsTheyAreSmall) {
  const std::vector<std::size_t> lists = {0, 2, 3, 4};
  EXPECT_EQ(ends(batches(programs({10, 20, 30, 40}), lists)), (Ends{{0, 3}}));
  EXPECT_EQ(ends(batches(programs({10, 20, 30, 1500}), lists)), (Ends{{0, 2}, {2, 3}}));
}

TEST(Batches, DoNotCutLists) {
  const std::vector<std::size_t> lists = {0, 2, 4};
  EXPECT_EQ(ends(batches(programs({1000, 1000, 1000, 1000}), lists)), (Ends{{0, 1}, {1, 2}}));
}

TEST(Batches, OfNothingAreNone) {
  EXPECT_TRUE(batches(programs({}), std::vector<std::size_t>{0}).empty());
}

}  // namespace
}  // namespace tessera
