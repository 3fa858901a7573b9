#include "base/anonymous_file.h"

#include "base/file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tessera {
namespace {

int open_unnamed() {
  const int in_memory = memfd_create("tessera", MFD_CLOEXEC);
  if (in_memory >= 0) return in_memory;
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(unknown);
  return open(unknown ? "/tmp" : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

}  // namespace

Result<AnonymousFile> AnonymousFile::make(std::string_view contents) {
  AnonymousFile file(open_unnamed());
  if (file.descriptor_ < 0) return Error{std::string("temporary file: ") + std::strerror(errno)};
  const Result<void> written = write_all(file.descriptor_, contents);
  if (!written) return Error{"temporary file: " + written.error().message};
  return file;
}

AnonymousFile::AnonymousFile(AnonymousFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

AnonymousFile& AnonymousFile::operator=(AnonymousFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

AnonymousFile::~AnonymousFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string AnonymousFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace tessera
