#include "base/file.h"

#include "base/temporary_folder.h"
#include "base/unfinished_file.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

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

TEST(WriteFile, WritesWhatIsReadAgainAndLeavesNothingElse) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  const std::string path = folder / "bytes";
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file(path, "longer than what comes next"));
  ASSERT_TRUE(write_file(path, bytes));
  EXPECT_EQ(*read_file(path), bytes);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(UnfinishedFile, HasNoNameBeforeItIsFinished) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  const int unnamed = open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (unnamed < 0) GTEST_SKIP() << "files need names here";
  close(unnamed);
  Result<UnfinishedFile> file = UnfinishedFile::make(folder / "bytes");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write_at(0, "bytes"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  ASSERT_TRUE(file->finish());
  EXPECT_EQ(*read_file(folder / "bytes"), "bytes");
}

TEST(UnfinishedFile, ReplacesFilesOnly) {
  EXPECT_EQ(write_file("/dev/null", "").error().message,
            "/dev/null: not a file that could be replaced");
  EXPECT_EQ(write_file("/", "").error().message, "/: not a file that could be replaced");
}

TEST(WriteFile, NamesThePathAndTheReason) {
  EXPECT_EQ(write_file("/no/such/file", "").error().message,
            "/no/such/file: No such file or directory");
}

}  // namespace
}  // namespace tessera
