#include "cli/status_line.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace tessera {

void StatusLine::show(const std::string& line) {
  if (stopwatch_.seconds() < next_) return;
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  next_ = stopwatch_.seconds() + (is_terminal ? 0.2 : 10);
  fmt::print(stderr, "{}{}: {}{}", is_terminal ? "\r\x1b[K" : "", subject_, line,
             is_terminal ? "" : "\n");
  is_open_ = is_terminal;
}

StatusLine::~StatusLine() {
  if (is_open_) fmt::print(stderr, "\n");
}

}  // namespace tessera
