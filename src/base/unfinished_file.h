#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// A file without a name in the folder of its path until it is finished, so that what stands at the
/// path is always whole. Goes when it is not finished, even when the process is killed; on file
/// systems where files need names it has another one, and a killed process leaves it. Every refusal
/// is `PATH: reason`.
class UnfinishedFile {
 public:
  /// Refuses a path at which something else than a file stands.
  static Result<UnfinishedFile> make(const std::string& path);

  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  /// What lies between written places reads as zeros.
  Result<void> write_at(std::uint64_t offset, std::string_view bytes) const;
  Result<void> resize(std::uint64_t size_bytes) const;
  /// Puts the file on disk and then at its path, in place of what stood there. The last call.
  Result<void> finish();

 private:
  explicit UnfinishedFile(const std::string& path);
  Error refusal() const;

  std::string path_;
  std::string name_;  // until it is finished
  bool is_named_ = false;
  int descriptor_;  // below 0 when finished
};

}  // namespace tessera
