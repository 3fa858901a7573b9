#include "base/temporary_folder.h"

#include "base/file.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tessera {
namespace {

TEST(TemporaryFolder, GoesWithAllThatIsInIt) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder = *TemporaryFolder::make();
    path = folder.path();
    ASSERT_TRUE(write_file((folder / "file").string(), "text"));
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryFolder, IsRefusedWhereThereCanBeNone) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", "/proc/self/nothing", 1);
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  before != nullptr ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "the folder of temporary files: No such file or directory");
}

}  // namespace
}  // namespace tessera
