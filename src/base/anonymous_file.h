#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tessera {

/// A file without a name, in memory where the system allows that and else in its folder for
/// temporary files. Gone with this object, and with the process however it ends.
class AnonymousFile {
 public:
  static Result<AnonymousFile> make(std::string_view contents = {});

  AnonymousFile(AnonymousFile&& other) noexcept;
  AnonymousFile& operator=(AnonymousFile&& other) noexcept;
  ~AnonymousFile();

  int descriptor() const { return descriptor_; }
  /// Opens the file from within this process.
  std::string path() const;

 private:
  explicit AnonymousFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace tessera
