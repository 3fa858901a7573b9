#include "runtime/shared_library.h"

#include <dlfcn.h>
#include <string_view>

namespace tessera {

Result<SharedLibrary> SharedLibrary::load(std::span<const std::byte> elf) {
  Result<AnonymousFile> file =
      AnonymousFile::make({reinterpret_cast<const char*>(elf.data()), elf.size()});
  if (!file) return file.error();
  void* handle = dlopen(file->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{std::string("code does not load: ") + dlerror()};
  return SharedLibrary(*std::move(file), handle);
}

void* SharedLibrary::find(const std::string& symbol) const {
  return dlsym(handle_.get(), symbol.c_str());
}

void SharedLibrary::Close::operator()(void* handle) const { dlclose(handle); }

}  // namespace tessera
