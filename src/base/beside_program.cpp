#include "base/beside_program.h"

#include <system_error>

namespace tessera {

std::array<std::filesystem::path, 2> beside_program(std::string_view name) {
  std::error_code unknown;  // then the working folder and the one around it are looked in
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  return {folder / name, (unknown ? std::filesystem::path("..") : folder.parent_path()) / name};
}

}  // namespace tessera
