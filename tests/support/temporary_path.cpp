#include "support/temporary_path.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace tessera {

TemporaryPath::TemporaryPath(const std::string& ending) {
  static std::atomic<int> count = 0;
  text_ = (std::filesystem::temp_directory_path() /
           ("tessera_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ending))
              .string();
}

TemporaryPath::~TemporaryPath() { std::remove(text_.c_str()); }

}  // namespace tessera
