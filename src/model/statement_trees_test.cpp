#include "model/statement_trees.h"

#include "base/file.h"
#include "base/rng.h"
#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera {
namespace {

/// Programs of one to three statements; each adds its first column.
Rows random_programs(std::uint64_t seed, std::size_t count, std::vector<float>& labels) {
  Rng rng(seed);
  Rows rows{.width = 4};
  for (std::size_t n = 0; n < count; ++n) {
    const std::int64_t statements = rng.between(1, 3);
    float sum = 0;
    for (std::int64_t statement = 0; statement < statements; ++statement) {
      for (int column = 0; column < 4; ++column)
        rows.values.push_back(static_cast<float>(rng.unit()));
      sum += rows.values[rows.values.size() - 4] / 3;
    }
    rows.starts.push_back(rows.starts.back() + static_cast<std::size_t>(statements));
    labels.push_back(sum);
  }
  return rows;
}

TEST(StatementTrees, AddUpWhatStatementsCost) {
  std::vector<float> labels, unseen;
  const Rows lessons = random_programs(1, 2000, labels), others = random_programs(2, 200, unseen);
  const StatementTrees trees = StatementTrees::grow(lessons, labels, 1, 1);
  const std::vector<float> scores = trees.score(others);
  double error = 0;
  for (std::size_t n = 0; n < scores.size(); ++n) error += std::abs(scores[n] - unseen[n]);
  EXPECT_LT(error / static_cast<double>(scores.size()), 0.05);
}

TEST(StatementTrees, AreKeptInFiles) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  const std::string path = (folder / "trees.ubj").string();
  std::vector<float> labels;
  const Rows lessons = random_programs(1, 300, labels);
  StatementTrees trees = StatementTrees::grow(lessons, labels, 1, 1);
  ASSERT_TRUE(trees.write(path, {{"seed", "1"}}));
  const Result<StatementTrees> got = StatementTrees::read(path);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->score(lessons), trees.score(lessons));
  ASSERT_TRUE(write_file(path, "nothing"));
  EXPECT_EQ(StatementTrees::read(path).error().message,
            path + ": not trees that XGBoost has grown");
}

}  // namespace
}  // namespace tessera
