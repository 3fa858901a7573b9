#include "base/file.h"

#include "base/unfinished_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unistd.h>

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

Result<void> write_file(const std::string& path, std::string_view bytes) {
  Result<UnfinishedFile> file = UnfinishedFile::make(path);
  if (!file) return file.error();
  if (Result<void> done = file->write_at(0, bytes); !done) return done;
  return file->finish();
}

Result<void> write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      return Error{std::strerror(errno)};
  }
  return {};
}

}  // namespace tessera
