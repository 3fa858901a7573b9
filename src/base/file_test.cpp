#include "base/file.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(ReadFile, ReadsAFileThatTellsNoSize) {
  const Result<std::string> got = read_file("/proc/self/status");
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->starts_with("Name:"));
}

TEST(ReadFile, NamesThePathAndTheReason) {
  EXPECT_EQ(read_file("/no/such").error().message, "/no/such: No such file or directory");
  EXPECT_EQ(read_file("/").error().message, "/: Is a directory");
}

}  // namespace
}  // namespace tessera
