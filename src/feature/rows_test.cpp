#include "feature/rows.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Rows, ThatAreAlikeStandOnceAmongTheDistinct) {
  const Rows programs{.width = 2, .values = {1, 2, 3, 4, 1, 2, 5, 6}, .starts = {0, 3, 4}};
  const DistinctRows all = distinct_rows(programs, std::vector<std::size_t>{0, 1, 2, 3});
  EXPECT_EQ(all.rows, (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_EQ(all.of, (std::vector<std::size_t>{0, 1, 0, 2}));
  const DistinctRows some = distinct_rows(programs, std::vector<std::size_t>{2, 0});
  EXPECT_EQ(some.rows, (std::vector<std::size_t>{2}));
  EXPECT_EQ(some.of, (std::vector<std::size_t>{0, 0}));
}

}  // namespace
}  // namespace tessera
