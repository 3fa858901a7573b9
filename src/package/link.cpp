#include "package/link.h"

#include "base/anonymous_file.h"
#include "base/file.h"
#include "base/text.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

constexpr const char* linker = "ld.lld-19";

/// Descriptor under which the child finds what it is to link; the first three are its standard
/// ones.
constexpr int archive_number = 3;

/// The objects in an archive of `ar`, so that the linker reads one file: a head of 60 characters in
/// columns before each member, and members at even places.
std::string archive_of(std::span<const std::string> objects) {
  const auto column = [](std::string text, std::size_t width) {
    text.resize(width, ' ');
    return text;
  };
  std::string archive = "!<arch>\n";
  for (std::size_t n = 0; n < objects.size(); ++n) {
    archive += column(std::to_string(n) + ".o/", 16) + column("0", 12) + column("0", 6) +
               column("0", 6) + column("644", 8) + column(std::to_string(objects[n].size()), 10) +
               "`\n" + objects[n];
    if (archive.size() % 2 != 0) archive += '\n';
  }
  return archive;
}

std::string emulation_of(Arch arch) {
  switch (arch) {
    case Arch::X86:
      return "elf_x86_64";
    case Arch::AArch64:
      return "aarch64linux";
    case Arch::RiscV:
      return "elf64lriscv";
  }
  return {};
}

std::vector<std::string> command_for(const Target& target) {
  return {linker,
          "-shared",
          "-m",
          emulation_of(target.arch),
          "-z",
          "defs",  // refuse what nobody defines
          "-z",
          "now",
          "--strip-all",
          "--build-id=none",
          "--whole-archive",
          "/proc/self/fd/" + std::to_string(archive_number),
          "-o",
          "-"};
}

/// What a child process left behind.
struct Ended {
  int status = -1;
  std::string output;
  std::string complaints;
};

Result<Ended> run(std::vector<std::string> command, const AnonymousFile& input) {
  const Result<AnonymousFile> output = AnonymousFile::make();
  if (!output) return output.error();
  const Result<AnonymousFile> complaints = AnonymousFile::make();
  if (!complaints) return complaints.error();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output->descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaints->descriptor(), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, input.descriptor(), archive_number);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int problem =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return Error{command[0] + ": " + std::strerror(problem)};
  Ended ended;
  while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  Result<std::string> text = read_file(complaints->path());
  Result<std::string> bytes = read_file(output->path());
  if (!text || !bytes) return text ? bytes.error() : text.error();
  ended.complaints = *std::move(text);
  ended.output = *std::move(bytes);
  return ended;
}

/// `undefined symbol: sinf` of `ld.lld-19: error: undefined symbol: sinf\n>>> referenced by ..`.
std::string reason_of(const std::string& complaints) {
  const std::vector<std::string> lines = split_lines(complaints);
  if (lines.empty()) return "the linker failed without a word";
  constexpr std::string_view mark = "error: ";
  const std::size_t found = lines[0].find(mark);
  return found == std::string::npos ? lines[0] : lines[0].substr(found + mark.size());
}

}  // namespace

Result<std::string> link_objects(std::span<const std::string> objects, const Target& target) {
  const std::string subject =
      "link of " + std::to_string(objects.size()) + " objects for " + target.name + ": ";
  const Result<AnonymousFile> archive = AnonymousFile::make(archive_of(objects));
  if (!archive) return Error{subject + archive.error().message};
  Result<Ended> ended = run(command_for(target), *archive);
  if (!ended) return Error{subject + ended.error().message};
  const bool is_done = WIFEXITED(ended->status) && WEXITSTATUS(ended->status) == 0;
  if (!is_done) return Error{subject + reason_of(ended->complaints)};
  return std::move(ended->output);
}

}  // namespace tessera
