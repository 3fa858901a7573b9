#include "base/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace tessera {
namespace {

bool write_all(const std::string& path, std::string_view bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return (std::fclose(file) == 0) && is_written;
}

}  // namespace

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

Result<void> write_file(const std::string& path, std::string_view bytes) {
  const std::string unfinished = path + "." + std::to_string(getpid()) + ".unfinished";
  if (write_all(unfinished, bytes) && std::rename(unfinished.c_str(), path.c_str()) == 0) return {};
  const Error refused{path + ": " + std::strerror(errno)};
  std::remove(unfinished.c_str());
  return refused;
}

}  // namespace tessera
