#include "cli/tuning_screen.h"

#include "base/check.h"
#include "base/text.h"
#include "cli/tuning_event.h"
#include "cli/tuning_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tessera {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Size {
  int columns = 80;
  int rows = 24;
};

/// What COLUMNS says goes before what the terminal says.
Size terminal_size() {
  Size size;
  if (winsize window{}; ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    size = {window.ws_col, std::max<int>(window.ws_row, 2)};
  const std::string_view text = environment("COLUMNS");
  if (int columns = 0;
      std::from_chars(text.begin(), text.end(), columns).ec == std::errc() && columns > 0)
    size.columns = columns;
  return size;
}

/// Nothing stops a run because its screen is gone; what stdout misses is told at the end by `main`.
void write(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

double interval_seconds(TuningScreen::Mode mode) {
  switch (mode) {
    case TuningScreen::Mode::Terminal:
      return 0.1;
    case TuningScreen::Mode::Lines:
      return 10;
    case TuningScreen::Mode::Json:
      return 1;
  }
  fail("a mode of the screen");
}

}  // namespace

TuningScreen::Mode TuningScreen::mode_for(bool is_json) {
  if (is_json) return Mode::Json;
  return isatty(STDERR_FILENO) != 0 && environment("TERM") != "dumb" ? Mode::Terminal : Mode::Lines;
}

void TuningScreen::show(const TuningRun& run) {
  const bool is_new_phase = !has_started_ || run.phase != phase_;
  if (!is_new_phase && run.elapsed_seconds < next_seconds_) return;
  print(run, !has_started_ ? "start" : is_new_phase ? "phase" : "progress");
  has_started_ = true;
  phase_ = run.phase;
  next_seconds_ = run.elapsed_seconds + interval_seconds(mode_);
}

void TuningScreen::finish(const TuningRun& run) { print(run, "done"); }

void TuningScreen::print(const TuningRun& run, std::string_view event) {
  switch (mode_) {
    case Mode::Terminal:
      return draw(run);
    case Mode::Lines:
      return write(stderr, line_text(run) + "\n");
    case Mode::Json:
      return write(stdout, event_json(event, run) + "\n");
  }
}

/// Over what was drawn before. Lines are cut off rather than wrapped, so that their number is
/// known, and the cursor shows again after each picture: whatever ends the program leaves the
/// terminal as it was.
void TuningScreen::draw(const TuningRun& run) {
  const Size size = terminal_size();
  const std::vector<std::string> lines =
      split_lines(render(run, size.columns, size.rows, environment("NO_COLOR").empty()));
  std::string text = "\x1b[?25l\x1b[?7l";
  if (drawn_lines_ > 0) text += fmt::format("\x1b[{}A\r", drawn_lines_);
  for (const std::string& line : lines) text += line + "\x1b[K\n";
  write(stderr, text + "\x1b[J\x1b[?7h\x1b[?25h");
  drawn_lines_ = static_cast<int>(lines.size());
}

}  // namespace tessera
