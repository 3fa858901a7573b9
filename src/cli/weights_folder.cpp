#include "cli/weights_folder.h"

#include <filesystem>

namespace tessera {

std::string weights_folder() {
  std::error_code unknown;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  const std::filesystem::path beside = folder / "weights";
  if (std::filesystem::exists(beside, unknown)) return beside.string();
  return (folder.parent_path() / "weights").string();
}

}  // namespace tessera
