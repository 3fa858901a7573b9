#include "support/shell.h"

#include <array>
#include <cstdio>
#include <sys/wait.h>

namespace tessera {

Ended run_shell(const std::string& command) {
  Ended ended;
  std::FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) return ended;
  std::array<char, 4096> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe))
    ended.text.append(piece.data(), size);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

}  // namespace tessera
