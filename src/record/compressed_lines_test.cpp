#include "record/compressed_lines.h"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

Result<std::vector<std::string>> lines_of(std::string_view bytes) {
  std::vector<std::string> lines;
  const Result<void> done = visit_compressed_lines(bytes, [&](std::string_view line) {
    lines.emplace_back(line);
    return Result<void>();
  });
  if (!done) return done.error();
  return lines;
}

TEST(CompressedLines, ReadBackAsTheyWere) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {""},
      {"a", "", "b"},
      std::vector<std::string>(10'000, "many of them"),
      {std::string(5 << 20, 'x'), "short"}};
  for (const std::vector<std::string>& lines : cases) {
    const Result<std::vector<std::string>> got = lines_of(compress_lines(lines));
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, lines);
  }
}

TEST(CompressedLines, AreRefusedWhenDamaged) {
  const std::string bytes = compress_lines(std::vector<std::string>{"one", "two", "three"});
  EXPECT_EQ(lines_of("text").error().message,
            "not compressed by Zstandard, or damaged: Unknown frame descriptor");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<std::vector<std::string>> got = lines_of(bytes.substr(0, size));
    ASSERT_FALSE(got) << size;
    EXPECT_EQ(got.error().message, "ends before its data does");
  }
  std::string changed = bytes;
  changed[bytes.size() - 6] ^= 1;
  EXPECT_FALSE(lines_of(changed));
}

TEST(CompressedLines, NameTheLineThatIsRefused) {
  const std::string bytes = compress_lines(std::vector<std::string>{"one", "two"});
  const Result<void> got = visit_compressed_lines(bytes, [](std::string_view line) -> Result<void> {
    if (line == "two") return Error{"not liked"};
    return {};
  });
  EXPECT_EQ(got.error().message, "line 2: not liked");
}

TEST(CompressedLines, AreNotLongerThanMemoryAllows) {
  const std::string bytes =
      compress_lines(std::vector<std::string>{"", std::string(longest_line_bytes + 1, 'x')});
  EXPECT_EQ(lines_of(bytes).error().message, "line 2: longer than 64 MB");
}

}  // namespace
}  // namespace tessera
