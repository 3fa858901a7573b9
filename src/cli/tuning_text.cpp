#include "cli/tuning_text.h"

#include "report/facts.h"
#include "report/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace tessera {
namespace {

enum class Style { Plain, Faint, Bold, Good, Bad };

std::string_view code_of(Style style) {
  constexpr std::array<std::string_view, 5> codes = {"", "\x1b[2m", "\x1b[1m", "\x1b[1;32m",
                                                     "\x1b[31m"};
  return codes[static_cast<std::size_t>(style)];
}

/// A line that ends where the screen does.
class Line {
 public:
  Line(int columns, bool colour)
      : left_(static_cast<std::size_t>(std::max(columns, 1))), colour_(colour) {}

  void add(std::string_view plain, Style style = Style::Plain) {
    const std::string shown = shortened(plain, left_);
    left_ -= length_of(shown);
    const std::string_view code = colour_ && !shown.empty() ? code_of(style) : "";
    text_ += fmt::format("{}{}{}", code, shown, code.empty() ? "" : "\x1b[0m");
  }
  std::string text() const { return text_ + "\n"; }

 private:
  std::size_t left_;
  bool colour_;
  std::string text_;
};

/// Several lines of text as one.
std::string one_line(std::string_view text) {
  std::string line = plain_text(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

/// `2:41 / 5:00`; the time alone when there is no limit to it.
std::string time_text(const TuningRun& run, std::string_view of) {
  const std::string now = duration_text(run.elapsed_seconds);
  return run.budget_seconds > 0
             ? fmt::format("{} {} {}", now, of, duration_text(run.budget_seconds))
             : now;
}

std::string trials_text(const TuningRun& run) {
  const std::int64_t trials = run.trials();
  if (run.budget_trials > 0)
    return fmt::format("{} of {} trials", grouped(trials), grouped(run.budget_trials));
  return grouped(trials) + (trials == 1 ? " trial" : " trials");
}

/// `11 failed: 4 refused, 7 timed out`; empty when none did.
std::string failures_text(const TuningRun& run) {
  if (failures(run) == 0) return "";
  std::string text;
  for (const auto& [outcome, count] : run.outcomes)
    if (outcome != Outcome::Ok && count > 0)
      text += fmt::format("{} {} {}", text.empty() ? ":" : ",", grouped(count), words_of(outcome));
  return grouped(failures(run)) + " failed" + text;
}

std::string change_text(const Change& change) {
  return fmt::format("{} ms -> {} ms", significant(change.before_seconds * 1e3),
                     significant(change.after_seconds * 1e3));
}

std::string state_line(const TuningRun& run, int columns, bool colour) {
  Line line(columns, colour);
  line.add(one_line(run.phase), Style::Bold);
  line.add("  " + time_text(run, "/"));
  if (run.phase == "tune" && run.budget_seconds > 0 && run.budget_trials == 0)
    line.add("  ETA " +
             duration_text(std::max(0.0, std::ceil(run.budget_seconds - run.elapsed_seconds))));
  line.add("  " + trials_text(run));
  if (run.elapsed_seconds > 0 && run.trials() > 0)
    line.add(fmt::format("  {:.1f}/s", static_cast<double>(run.trials()) / run.elapsed_seconds),
             Style::Faint);
  if (const std::string failed = failures_text(run); !failed.empty())
    line.add("  " + failed, Style::Bad);
  return line.text();
}

std::string latency_line(const TuningRun& run, int columns, bool colour) {
  Line line(columns, colour);
  line.add(one_line(run.model) + "  ");
  const std::optional<Change> measured = measured_change(run), estimated = estimated_change(run);
  if (const auto change = measured ? measured : estimated) {
    line.add(change_text(*change), Style::Bold);
    line.add(fmt::format("  {:.2f}x", change->speedup()), Style::Good);
    line.add(measured ? "  measured, won by " + one_line(run.winner) : "  estimated", Style::Faint);
  } else {
    line.add(fmt::format("{} of {} tasks measured", measured_tasks(run), run.tasks.size()),
             Style::Faint);
  }
  return line.text();
}

/// Heights in proportion to the times, the last of which is the newest.
std::string trend_text(const TaskProgress& task, std::size_t length) {
  constexpr std::array<std::string_view, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::vector<double> times = times_of(task);
  if (times.empty()) return "";
  const double most = std::ranges::max(times);
  std::string text;
  const std::size_t shown = std::min(length, times.size());
  for (std::size_t n = 0; n < shown; ++n) {
    const double time = times[shown == 1 ? 0 : n * (times.size() - 1) / (shown - 1)];
    text += blocks[static_cast<std::size_t>(std::clamp(std::lround(8 * time / most) - 1, 0L, 7L))];
  }
  return text;
}

std::string microseconds_text(double seconds) {
  return is_known(seconds) ? fmt::format("{:.1f}", seconds * 1e6) : "-";
}

std::string percent_text(std::optional<double> share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "-";
}

/// What stands in one line of the table.
struct Cells {
  std::string title, calls, untuned, best, peak, trials, share, trend;
};

constexpr std::size_t trend_length = 8;

Cells cells_of(const TuningRun& run, const TaskProgress& task) {
  return {one_line(task.title),
          grouped(task.calls),
          microseconds_text(task.untuned_seconds),
          microseconds_text(task.best_seconds),
          percent_text(share_of_peak(run, task)),
          grouped(task.trials),
          percent_text(share_of_network(run, task.share(1))),
          trend_text(task, trend_length)};
}

Cells cells_of_rest(const TuningRun& run, std::span<const TaskProgress> rest) {
  std::int64_t calls = 0, trials = 0;
  double seconds = 0;
  for (const TaskProgress& task : rest) {
    calls += task.calls;
    trials += task.trials;
    seconds += task.share(1);
  }
  return {fmt::format("{} others", rest.size()),
          grouped(calls),
          "",
          "",
          "",
          grouped(trials),
          percent_text(share_of_network(run, seconds)),
          ""};
}

/// A column after the title. Where the screen is narrow, those of the lowest `rank` go first.
struct Column {
  std::string Cells::* cell;
  std::size_t width;
  int rank;
};

constexpr std::array<Column, 7> all_columns = {{{&Cells::calls, 5, 5},
                                                {&Cells::untuned, 10, 2},
                                                {&Cells::best, 10, 7},
                                                {&Cells::peak, 6, 4},
                                                {&Cells::trials, 6, 3},
                                                {&Cells::share, 7, 6},
                                                {&Cells::trend, trend_length, 1}}};

constexpr std::size_t gap = 2;

/// The columns of a table, and how much of the screen they leave to titles.
struct Table {
  std::vector<Column> columns{all_columns.begin(), all_columns.end()};
  std::size_t title_width = 0;
};

Table fitted(int columns) {
  constexpr std::size_t least_title = 12, most_title = 48;
  const auto screen = static_cast<std::size_t>(std::max(columns, 1));
  Table table;
  while (true) {
    std::size_t width = 0;
    for (const Column& column : table.columns) width += gap + column.width;
    if (width + least_title <= screen || table.columns.empty()) {
      table.title_width = std::min(screen - std::min(width, screen), most_title);
      return table;
    }
    table.columns.erase(std::ranges::min_element(table.columns, {}, &Column::rank));
  }
}

std::string padding_of(const std::string& plain, std::size_t width) {
  return std::string(width - std::min(width, length_of(plain)), ' ');
}

std::string table_line(const Table& table, const Cells& cells, int columns, bool colour,
                       Style style) {
  const std::string title = shortened(cells.title, table.title_width);
  std::string text = title + padding_of(title, table.title_width);
  for (const Column& column : table.columns) {
    const std::string& cell = cells.*column.cell;
    const std::string pad = padding_of(cell, column.width);
    text += std::string(gap, ' ') + (column.cell == &Cells::trend ? cell : pad + cell);
  }
  Line line(columns, colour);
  line.add(text.substr(0, text.find_last_not_of(' ') + 1), style);
  return line.text();
}

std::string table_text(const TuningRun& run, int columns, std::size_t lines, bool colour) {
  const Table table = fitted(columns);
  std::string text = table_line(
      table, {"task", "calls", "untuned us", "best us", "% peak", "trials", "share %", "trend"},
      columns, colour, Style::Faint);
  const std::vector<TaskProgress> tasks = by_best_time(run.tasks);
  const std::size_t shown = tasks.size() < lines ? tasks.size() : lines - 2;
  for (const TaskProgress& task : std::span(tasks).first(shown))
    text += table_line(table, cells_of(run, task), columns, colour, Style::Plain);
  if (shown < tasks.size())
    text += table_line(table, cells_of_rest(run, std::span(tasks).subspan(shown)), columns, colour,
                       Style::Faint);
  return text;
}

}  // namespace

std::string render(const TuningRun& run, int columns, int rows, bool colour) {
  constexpr int least_table = 3;  // its head, a task and the others
  std::string text = state_line(run, columns, colour);
  if (rows - 1 >= 2) text += latency_line(run, columns, colour);
  if (const int lines = rows - 3; lines >= least_table && !run.tasks.empty())
    text += table_text(run, columns, static_cast<std::size_t>(lines), colour);
  return text;
}

std::string line_text(const TuningRun& run) {
  std::string text = one_line(run.phase) + ": " + time_text(run, "of") + ", " + trials_text(run);
  if (failures(run) > 0) text += ", " + grouped(failures(run)) + " failed";
  const std::optional<Change> measured = measured_change(run);
  if (const auto change = measured ? measured : estimated_change(run))
    text += fmt::format(", {}, {:.2f}x", change_text(*change), change->speedup());
  return text;
}

}  // namespace tessera
