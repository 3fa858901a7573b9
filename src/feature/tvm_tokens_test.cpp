#include "feature/tvm_tokens.h"

#include "base/file.h"
#include "feature/token_columns.h"
#include "support/data_file.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera {
namespace {

TEST(TvmTokens, HaveOneForTaskAndHardwareAndEachStep) {
  const Result<TvmRecords> log = parse_tvm_records(*read_file(data_path("tvm_records.json")));
  ASSERT_TRUE(log);
  Rows rows{.width = token_width};
  for (const Record& record : log->records) {
    const auto steps = parse_tvm_steps(record.schedule);
    append_tvm_tokens(log->tasks.front(), record.target, *steps, rows);
    EXPECT_EQ(rows.length(rows.size() - 1), 2 + steps->size());
    for (const float value : rows.of(rows.size() - 1)) EXPECT_TRUE(std::isfinite(value));
  }
  EXPECT_EQ(rows.size(), log->records.size());
}

TEST(TvmTokens, FollowingSplitsHaveTheFactorsThatTheyFollow) {
  const auto steps = parse_tvm_steps("SP 2 0 64 [4, 8] 1\nFSP 1 0 0 1\nFFSP 1 1 [0, 0] 1 1\n");
  ASSERT_TRUE(steps) << steps.error().message;
  Rows rows{.width = token_width};
  append_tvm_tokens({.fingerprint = {}, .text = {}, .family = {}}, "llvm [16, 64]", *steps, rows);
  const auto at = [&](std::size_t token, std::size_t column) {
    return rows.of(0)[token * token_width + column];
  };
  EXPECT_EQ(at(1, token_column::facts), std::log2(17.0F));  // cores
  EXPECT_EQ(at(2, token_column::numbers + 1), std::log2(9.0F));
  EXPECT_EQ(at(2, token_column::rounds), std::log2(3.0F));
  EXPECT_EQ(at(3, token_column::numbers), std::log2(5.0F));
  EXPECT_EQ(at(3, token_column::numbers + 1), 0);
  EXPECT_EQ(at(4, token_column::numbers), std::log2(65.0F));  // 8 * 8
}

}  // namespace
}  // namespace tessera
