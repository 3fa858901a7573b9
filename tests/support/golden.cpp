#include "support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace tessera {
namespace {

bool is_update() {
  const char* update = std::getenv("UPDATE_GOLDEN");
  return update != nullptr && std::string_view(update) == "1";
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  EXPECT_TRUE(file.flush().good()) << "cannot write " << path;
}

}  // namespace

/// Parameterised tests are called `Suite/Case` and `Test/0`: the slash makes a folder.
void expect_golden(const std::string& text) {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  expect_golden(text, std::string(test->test_suite_name()) + "/" + test->name());
}

void expect_golden(const std::string& text, const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(TESSERA_GOLDEN_FOLDER) / (name + ".txt");
  if (is_update()) return write(path, text);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    ADD_FAILURE() << "no golden " << path << "; UPDATE_GOLDEN=1 writes it\ngot:\n" << text;
    return;
  }
  std::stringstream want;
  want << file.rdbuf();
  if (text != want.str())
    ADD_FAILURE() << "differs from " << path << "\ngot:\n" << text << "\nexpected:\n" << want.str();
}

}  // namespace tessera
