#include "cli/machine.h"

#include "base/cores.h"
#include "base/file.h"
#include "base/text.h"
#include "measure/conditions.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace tessera {
namespace {

/// The value of the first line `NAME : VALUE`, as /proc writes them.
std::optional<std::string> value_of(const std::string& path, std::string_view name) {
  const Result<std::string> text = read_file(path);
  if (!text) return std::nullopt;
  for (const std::string& line : split_lines(*text)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && trimmed(std::string_view(line).substr(0, colon)) == name)
      return std::string(trimmed(std::string_view(line).substr(colon + 1)));
  }
  return std::nullopt;
}

std::optional<std::int64_t> memory(std::string_view name) {
  const std::optional<std::string> value = value_of("/proc/meminfo", name);
  const std::optional<std::int64_t> kib = value ? Scanner(*value).accept_integer() : std::nullopt;
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

std::optional<std::string> governor() {
  const Result<std::string> text =
      read_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return text ? std::optional(std::string(trimmed(*text))) : std::nullopt;
}

bool is_there(const std::filesystem::path& path) {
  std::error_code unreadable;
  return std::filesystem::exists(path, unreadable);
}

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "";
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    if (is_there(std::filesystem::path(folders.substr(0, end)) / name)) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

/// Looks in the library folders and in the folders of architectures inside them.
bool has_library(const std::string& name) {
  for (const char* root : {"/usr/local/lib", "/usr/lib", "/usr/lib64"}) {
    if (is_there(std::filesystem::path(root) / name)) return true;
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(root, unreadable))
      if (is_there(entry.path() / name)) return true;
  }
  return false;
}

std::vector<Extra> extras() {
  return {
      {"qemu-user", "qemu-user", "runs kernels for other architectures",
       has_program("qemu-aarch64")},
      {"openblas", "libopenblas-dev", "a reference for benches", has_library("libopenblas.so")},
      {"dnnl", "libdnnl-dev", "a reference for benches", has_library("libdnnl.so")},
      {"ccache", "ccache", "makes builds after the first one short", has_program("ccache")},
      {"clang-format", "clang-format-19", "lays out sources", has_program("clang-format-19")},
  };
}

}  // namespace

Machine inspect_machine() {
  return {.cpu = value_of("/proc/cpuinfo", "model name").value_or("unknown"),
          .host = detect_host(),
          .usable_cores = usable_cores(),
          .present_cores = present_cores(),
          .load = conditions_now().load,
          .governor = governor(),
          .memory_bytes = memory("MemTotal"),
          .available_bytes = memory("MemAvailable"),
          .extras = extras()};
}

}  // namespace tessera
