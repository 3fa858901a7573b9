#pragma once

#include <string>

namespace tessera {

/// A name in the folder for temporary files that no other test uses; the file goes with it.
class TemporaryPath {
 public:
  explicit TemporaryPath(const std::string& ending = "");
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tessera
