#pragma once

#include <string>

namespace tessera {

/// How a command ended.
struct Ended {
  int code = -1;
  std::string text;  // what it wrote on stdout and stderr
};

/// Runs a command as a shell reads it.
Ended run_shell(const std::string& command);

}  // namespace tessera
