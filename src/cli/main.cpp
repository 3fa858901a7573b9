#include "base/check.h"
#include "cli/build_info.h"
#include "cli/verbs.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace tessera {
namespace {

constexpr std::array verbs = {
    add_demo,    add_inspect, add_tune, add_compile, add_run,    add_bench,
    add_profile, add_report,  add_zoo,  add_show,    add_db,     add_collect,
    add_train,   add_adapt,   add_eval, add_devices, add_doctor,
};

/// CLI11's messages as ours: lower case, no full stop, and where to look.
Error as_error(const CLI::ParseError& error) {
  std::string message = error.what();
  if (message.size() > 1 && std::islower(message[1]) != 0)  // SUBJECT stays as it is
    message[0] = static_cast<char>(std::tolower(message[0]));
  while (message.ends_with('.') || message.ends_with('\n')) message.pop_back();
  return {message + "; see tessera --help"};
}

int run(int count, char** arguments) {
  CLI::App program("Tessera compiles tensor programs and learns to make them fast.", "tessera");
  program.set_version_flag("--version", "tessera " + std::string(build_info.version));
  program.require_subcommand(0, 1);  // none is refused below, so that a mistyped one is named
  for (const auto add : verbs) add(program);
  try {
    program.parse(count, arguments);
  } catch (const CLI::RuntimeError& chosen) {
    return chosen.get_exit_code();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == ExitCode::success) return program.exit(error);  // help, version
    return refuse(as_error(error));
  }
  if (program.get_subcommands().empty()) return refuse({"no verb given; see tessera --help"});
  return ExitCode::success;
}

/// What was printed may not have arrived: the disk is full, the pipe is closed.
int with_output_written(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return refuse({std::string("stdout: ") + std::strerror(errno)});
}

}  // namespace
}  // namespace tessera

int main(int count, char** arguments) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit of sizes is then refused like any other
  try {
    return tessera::with_output_written(tessera::run(count, arguments));
  } catch (const std::bad_alloc&) {
    return tessera::refuse({"out of memory"});
  } catch (const std::exception& error) {  // InternalError, or a library's that nobody foresaw
    std::fprintf(stderr, "tessera: %s\n", error.what());
    return tessera::ExitCode::internal_error;
  }
}
