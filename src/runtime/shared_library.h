#pragma once

#include "base/anonymous_file.h"
#include "base/result.h"

#include <memory>
#include <span>
#include <string>

namespace tessera {

/// Code of an ELF shared library that lies in memory, loaded until destroyed.
class SharedLibrary {
 public:
  static Result<SharedLibrary> load(std::span<const std::byte> elf);
  /// The address of what it defines under a name; null when it defines no such thing.
  void* find(const std::string& symbol) const;

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  SharedLibrary(AnonymousFile file, void* handle) : file_(std::move(file)), handle_(handle) {}

  // Stays open while the code is loaded: the loader knows libraries by path, and a later file must
  // not get the same one.
  AnonymousFile file_;
  std::unique_ptr<void, Close> handle_;
};

}  // namespace tessera
