#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace tessera {

/// A folder that is empty at first and gone, with all that is in it, with the object.
class TemporaryFolder {
 public:
  /// Among the system's temporary files. Refuses with `PATH: reason`.
  static Result<TemporaryFolder> make();

  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty when another object has it
};

}  // namespace tessera
