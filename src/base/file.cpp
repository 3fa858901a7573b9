#include "base/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace tessera {

Result<std::string> read_file(const std::string& path) {
  const auto refused = [&] { return Error{path + ": " + std::strerror(errno)}; };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) return refused();
  std::string text;
  std::array<char, 1 << 14> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), file.get()))
    text.append(piece.data(), size);
  if (std::ferror(file.get()) != 0) return refused();
  return text;
}

}  // namespace tessera
