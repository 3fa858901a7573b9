#pragma once

#include "support/shell.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

namespace tessera {

/// Runs the program with `arguments` as a shell reads them.
inline Ended tessera_program(const std::string& arguments) {
  return run_shell(TESSERA_PROGRAM " " + arguments);
}

/// What the program prints when all goes well.
inline std::string printed(const std::string& arguments) {
  const Ended ended = tessera_program(arguments);
  EXPECT_EQ(ended.code, 0) << arguments << "\n" << ended.text;
  EXPECT_NE(ended.text, "") << arguments;
  return ended.text;
}

/// The whole of what the program writes is this refusal.
inline void expect_refusal(const std::string& arguments, const std::string& message) {
  const Ended ended = tessera_program(arguments);
  EXPECT_EQ(ended.code, 2) << arguments;
  EXPECT_EQ(ended.text, "tessera: " + message + "\n") << arguments;
}

/// A file that goes with this object.
class File {
 public:
  explicit File(const std::string& text, const std::string& ending = "")
      : path_(testing::TempDir() + "tessera_" + std::to_string(getpid()) + "_" +
              std::to_string(count++) + ending) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }

 private:
  static inline int count = 0;
  std::string path_;
};

}  // namespace tessera
