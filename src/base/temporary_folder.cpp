#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace tessera {

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code unknown;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(unknown);
  if (unknown) return Error{"the folder of temporary files: " + unknown.message()};
  std::string name = (parent / "tessera-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return Error{parent.string() + ": " + std::strerror(errno)};
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tessera
