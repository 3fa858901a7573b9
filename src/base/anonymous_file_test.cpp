#include "base/anonymous_file.h"

#include "base/file.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

namespace tessera {
namespace {

TEST(AnonymousFile, HoldsItsContents) {
  const std::string contents(100'000, 'x');
  const Result<AnonymousFile> file = AnonymousFile::make(contents);
  ASSERT_TRUE(file);
  EXPECT_EQ(*read_file(file->path()), contents);
  EXPECT_EQ(*read_file(AnonymousFile::make()->path()), "");
}

TEST(AnonymousFile, GoesWithItsObject) {
  std::string path;
  {
    AnonymousFile file = *AnonymousFile::make("a");
    path = file.path();
    file = *AnonymousFile::make("b");
    EXPECT_EQ(*read_file(file.path()), "b");
  }
  EXPECT_FALSE(read_file(path));
}

TEST(AnonymousFile, IsNotInheritedByOtherPrograms) {
  const AnonymousFile file = *AnonymousFile::make();
  EXPECT_EQ(fcntl(file.descriptor(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(WriteAll, SaysWhatTheSystemRefuses) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EXPECT_EQ(write_all(full, "text").error().message, "No space left on device");
  close(full);
}

}  // namespace
}  // namespace tessera
