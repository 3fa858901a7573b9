#include "base/unfinished_file.h"

#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <unistd.h>
#include <utility>

namespace tessera {

namespace {

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

bool is_no_file(const std::string& path) {
  std::error_code unreadable;
  return std::filesystem::exists(path, unreadable) &&
         !std::filesystem::is_regular_file(path, unreadable);
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path)
    : path_(path),
      name_(path + "." + std::to_string(std::random_device()()) + ".unfinished"),
      descriptor_(open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)) {
  if (descriptor_ >= 0) return;
  descriptor_ = open(name_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  is_named_ = descriptor_ >= 0;
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      is_named_(std::exchange(other.is_named_, false)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

UnfinishedFile::~UnfinishedFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (is_named_) unlink(name_.c_str());
}

Error UnfinishedFile::refusal() const { return {path_ + ": " + std::strerror(errno)}; }

Result<UnfinishedFile> UnfinishedFile::make(const std::string& path) {
  if (is_no_file(path)) return Error{path + ": not a file that could be replaced"};
  UnfinishedFile file(path);
  if (file.descriptor_ < 0) return file.refusal();
  return file;
}

Result<void> UnfinishedFile::write_at(std::uint64_t offset, std::string_view bytes) const {
  if (lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) return refusal();
  const Result<void> written = write_all(descriptor_, bytes);
  if (!written) return Error{path_ + ": " + written.error().message};
  return {};
}

Result<void> UnfinishedFile::resize(std::uint64_t size_bytes) const {
  if (ftruncate(descriptor_, static_cast<off_t>(size_bytes)) != 0) return refusal();
  return {};
}

Result<void> UnfinishedFile::finish() {
  if (fsync(descriptor_) != 0) return refusal();
  if (!is_named_) {
    const std::string unnamed = "/proc/self/fd/" + std::to_string(descriptor_);
    if (linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name_.c_str(), AT_SYMLINK_FOLLOW) != 0)
      return refusal();
    is_named_ = true;
  }
  if (std::rename(name_.c_str(), path_.c_str()) != 0) return refusal();
  is_named_ = false;
  close(std::exchange(descriptor_, -1));
  const int parent = open(folder_of(path_).c_str(), O_RDONLY | O_CLOEXEC);
  if (parent >= 0) {
    fsync(parent);  // some systems cannot; the file is there all the same
    close(parent);
  }
  return {};
}

}  // namespace tessera
