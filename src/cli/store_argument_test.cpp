#include "cli/store_argument.h"

#include "base/child.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tessera {
namespace {

/// With these in the environment; null stands for absent.
std::string default_with(const char* data, const char* home) {
  return in_child([&] {
    data == nullptr ? unsetenv("XDG_DATA_HOME") : setenv("XDG_DATA_HOME", data, 1);
    home == nullptr ? unsetenv("HOME") : setenv("HOME", home, 1);
    return default_store_path();
  });
}

TEST(DefaultStorePath, LiesWhereDataOfTheUserLies) {
  EXPECT_EQ(default_with("/data", "/home/me"), "/data/tessera/store.db");
  EXPECT_EQ(default_with(nullptr, "/home/me"), "/home/me/.local/share/tessera/store.db");
  EXPECT_EQ(default_with("", "/home/me"), "/home/me/.local/share/tessera/store.db");
  EXPECT_EQ(default_with("relative", "/home/me"), "/home/me/.local/share/tessera/store.db");
  EXPECT_EQ(default_with(nullptr, nullptr), "");
}

}  // namespace
}  // namespace tessera
