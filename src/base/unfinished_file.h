#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// A file under another name in the same folder until it is finished, so that what stands at its
/// path is always whole. Goes when it is not finished. Every refusal is `PATH: reason`.
class UnfinishedFile {
 public:
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
  std::string name_;
  int descriptor_;  // below 0 when finished
};

}  // namespace tessera
