#include "runtime/mapping.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tessera {
namespace {

/// Closes a descriptor when it goes.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

Result<Mapping> Mapping::of_file(const std::string& path) {
  const auto refused = [&](int reason) { return Error{path + ": " + std::strerror(reason)}; };
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status{};
  if (file.number < 0 || fstat(file.number, &status) != 0) return refused(errno);
  if (S_ISDIR(status.st_mode)) return refused(EISDIR);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return Mapping();
  void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number, 0);
  if (data == MAP_FAILED) return refused(errno);
  return Mapping({static_cast<std::byte*>(data), size});
}

Result<Mapping> Mapping::of_zeros(std::int64_t size_bytes) {
  if (size_bytes == 0) return Mapping();
  const auto size = static_cast<std::size_t>(size_bytes);
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    return Error{std::to_string(size_bytes) + " bytes of memory: " + std::strerror(errno)};
  return Mapping({static_cast<std::byte*>(data), size});
}

Mapping::Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

}  // namespace tessera
