#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace {

struct Ended {
  int code = -1;
  std::string text;  // what it wrote on stdout and stderr
};

/// Runs the program with `arguments` as a shell reads them.
Ended tessera(const std::string& arguments) {
  Ended ended;
  std::FILE* pipe = popen((TESSERA_PROGRAM " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ended;
  std::array<char, 4096> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe))
    ended.text.append(piece.data(), size);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

TEST(Program, TellsItsVersion) {
  const Ended ended = tessera("--version");
  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(ended.text.starts_with("tessera ")) << ended.text;
}

TEST(Program, RefusesOnOneLineWithCode2) {
  for (const char* arguments : {"", "nonsense", "devices --nonsense", "--nonsense"}) {
    const Ended ended = tessera(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_TRUE(ended.text.starts_with("tessera: ")) << ended.text;
    EXPECT_EQ(ended.text.find('\n'), ended.text.size() - 1) << ended.text;
  }
}

TEST(Program, HelpsEachVerbWithAnExample) {
  for (const std::string verb : {"devices", "doctor"}) {
    const Ended ended = tessera(verb + " --help");
    EXPECT_EQ(ended.code, 0);
    EXPECT_NE(ended.text.find("Example: tessera " + verb), std::string::npos) << ended.text;
    EXPECT_NE(ended.text.find("--json"), std::string::npos) << ended.text;
  }
}

TEST(Program, ShowsTheHostAndThePresets) {
  const Ended ended = tessera("devices");
  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(ended.text.starts_with("host: ")) << ended.text;
  EXPECT_NE(ended.text.find("riscv64-v256"), std::string::npos) << ended.text;
}

TEST(Program, WritesJson) {
  EXPECT_TRUE(tessera("devices --json").text.starts_with("{\n  \"host\": {"));
  EXPECT_TRUE(tessera("doctor --json").text.starts_with("[\n  {\n    \"name\": \"tessera\""));
}

}  // namespace
