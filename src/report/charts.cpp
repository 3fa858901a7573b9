#include "report/charts.h"

#include "report/facts.h"
#include "report/plain_text.h"
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace tessera {
namespace {

constexpr double width = 1000;

/// Those of a curve at which its level changes, and its last: the line is the same without others.
std::vector<TuningRun::Point> turns_of(const std::vector<TuningRun::Point>& curve) {
  std::vector<TuningRun::Point> turns;
  for (const TuningRun::Point& point : curve)
    if (is_known(point.network_seconds) &&
        (turns.empty() || turns.back().network_seconds != point.network_seconds ||
         &point == &curve.back()))
      turns.push_back(point);
  return turns;
}

/// From somewhat below the lowest value to somewhat above the highest, so that labels have room. A
/// tenth of the highest at least: small gains look small.
Scale level_scale(double low, double high, double start, double end) {
  const double least = std::min(low, 0.9 * high), span = high - least;
  return {std::max(0.0, least - 0.25 * span), high + 0.15 * span, start, end};
}

/// Trials that had been measured at a time.
std::int64_t trials_at(const std::vector<TuningRun::Point>& curve, double seconds) {
  std::int64_t trials = 0;
  for (const TuningRun::Point& point : curve)
    if (point.elapsed_seconds <= seconds) trials = point.trials;
  return trials;
}

void draw_axes(Drawing& drawing, const Scale& time, const Scale& level, const TuningRun& run) {
  for (const Tick& tick : nice_ticks(level.low, level.high, 5)) {
    drawing.line(time.start, level.at(tick.value), time.end, level.at(tick.value), "grid");
    drawing.text(time.start - 10, level.at(tick.value) + 4, tick.text, "label", Anchor::End);
  }
  drawing.line(time.start, level.start, time.end, level.start, "axis");
  for (const Tick& tick : time_ticks(time.high, 8)) {
    const double x = time.at(tick.value);
    drawing.line(x, level.start, x, level.start + 5, "axis");
    drawing.text(x, level.start + 20, tick.text, "label", Anchor::Middle);
    drawing.text(x, level.start + 37, grouped(trials_at(run.curve, tick.value)), "label faint",
                 Anchor::Middle);
  }
  drawing.text(time.start - 28, level.start + 20, "time", "label", Anchor::End);
  drawing.text(time.start - 28, level.start + 37, "trials", "label faint", Anchor::End);
  drawing.text(time.start - 10, level.end - 8, "ms", "label", Anchor::End);
}

/// What the page's script shows under the pointer, and where.
void add_pointer(Drawing& drawing, const Scale& time, const Scale& level) {
  drawing.attribute("data-time", fmt::format("{} {} {}", time.high, time.start, time.end));
  drawing.attribute("data-level",
                    fmt::format("{} {} {} {}", level.low, level.high, level.start, level.end));
  drawing.raw(
      fmt::format(R"(<g class="pointer" visibility="hidden"><line class="cross" y1="{}" y2="{}"/>)"
                  R"(<circle class="dot" r="4"/><text class="label strong" y="{}"></text></g>)",
                  level.end, level.start, level.end - 8));
}

/// A task, or several as one.
struct Row {
  std::string number;
  std::string title;
  double before = 0;  // seconds of one inference
  double after = 0;
  std::string percent_of_peak;
};

Row row_of(const TuningRun& run, const TaskProgress& task, std::size_t number) {
  const std::optional<double> peak = share_of_peak(run, task);
  return {std::to_string(number), plain_text(task.title), task.untuned_share(1), task.share(1),
          peak ? fmt::format("{:.0f} %", 100 * *peak) : "–"};
}

std::vector<Row> rows_of(const TuningRun& run) {
  constexpr std::size_t most = 20;
  const std::vector<TaskProgress> tasks = by_untuned_time(run.tasks);
  // One more task takes no more room than a row for it.
  const std::size_t shown = tasks.size() <= most + 1 ? tasks.size() : most;
  std::vector<Row> rows;
  for (std::size_t n = 0; n < shown; ++n) rows.push_back(row_of(run, tasks[n], n + 1));
  if (shown == tasks.size()) return rows;
  Row rest{"", fmt::format("{} other tasks", tasks.size() - shown), 0, 0, ""};
  for (const TaskProgress& task : std::span(tasks).subspan(shown)) {
    rest.before += task.untuned_share(1);
    rest.after += task.share(1);
  }
  rows.push_back(rest);
  return rows;
}

constexpr double row_height = 36;
constexpr double first_row = 30;
constexpr double gain_end = 900;

/// The bar of one time and, behind it, the time and its share of the network's.
void draw_bar(Drawing& drawing, const Scale& scale, double y, double seconds, double total,
              const std::string& when) {
  const std::string text =
      fmt::format("{} ms · {:.1f} %", significant(seconds * 1e3), 100 * seconds / total);
  drawing.bar(scale.start, y, scale.at(seconds) - scale.start, 11, when, when + ": " + text);
  drawing.text(scale.at(seconds) + 7, y + 9.5, text, when == "before" ? "small faint" : "small");
}

void draw_row(Drawing& drawing, const Scale& scale, const Row& row, double y, const Change& total) {
  drawing.text(24, y + 17, row.number, "label faint", Anchor::End);
  drawing.text(36, y + 17, shortened(row.title, 26), "label");
  draw_bar(drawing, scale, y + 1, row.before, total.before_seconds, "before");
  draw_bar(drawing, scale, y + 14, row.after, total.after_seconds, "after");
  drawing.text(gain_end, y + 17,
               is_known(row.after) ? fmt::format("{:.2f}×", row.before / row.after) : "–",
               "label strong", Anchor::End);
  drawing.text(width - 4, y + 17, row.percent_of_peak, "label", Anchor::End);
}

}  // namespace

std::string curve_chart(const TuningRun& run) {
  const std::vector<TuningRun::Point> turns = turns_of(run.curve);
  if (turns.empty()) return "";
  constexpr double height = 380;
  const auto [low, high] = std::ranges::minmax(turns, {}, &TuningRun::Point::network_seconds);
  const double untuned =
      is_known(run.untuned_seconds()) ? run.untuned_seconds() : high.network_seconds;
  const double last = turns.back().elapsed_seconds;
  const Scale time{0, is_known(last) ? last : 1, 70, width - 20};
  const Scale level = level_scale(low.network_seconds * 1e3,
                                  std::max(high.network_seconds, untuned) * 1e3, height - 50, 28);
  Drawing drawing(width, height, "Estimated time of one inference over the time of tuning", "plot");
  draw_axes(drawing, time, level, run);
  std::vector<std::pair<double, double>> points;
  for (const TuningRun::Point& point : turns)
    points.emplace_back(time.at(point.elapsed_seconds), level.at(point.network_seconds * 1e3));
  const double dashed = level.at(untuned * 1e3);
  const auto [x, y] = points.back();
  drawing.path(step_path(points) + fmt::format("V{:.1f}H{:.1f}Z", dashed, points.front().first),
               "saved");
  drawing.line(time.start, dashed, time.end, dashed, "untuned");
  drawing.text(time.end, dashed - 8, "untuned " + significant(untuned * 1e3) + " ms", "label faint",
               Anchor::End);
  drawing.path(step_path(points), "curve");
  drawing.dot(x, y, 4.5, "dot");
  drawing.text(x, y + 22, significant(turns.back().network_seconds * 1e3) + " ms",
               "label strong accent", Anchor::End);
  add_pointer(drawing, time, level);
  return drawing.svg();
}

std::string task_chart(const TuningRun& run) {
  const std::vector<Row> rows = rows_of(run);
  const Change total{run.untuned_seconds(), run.best_seconds()};
  if (!is_known(total.before_seconds) || !is_known(total.after_seconds)) return "";
  double longest = 0;
  for (const Row& row : rows) longest = std::max({longest, row.before, row.after});
  const Scale scale{0, longest, 250, 720};
  Drawing drawing(width, first_row + row_height * static_cast<double>(rows.size()),
                  "Time of each task in one inference, before and after tuning", "plot");
  drawing.text(36, 14, "task", "label faint");
  drawing.text(scale.start, 14, "time in one inference, and share of it", "label faint");
  drawing.text(gain_end, 14, "gain", "label faint", Anchor::End);
  drawing.text(width - 4, 14, "% of peak", "label faint", Anchor::End);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const double y = first_row + row_height * static_cast<double>(n);
    drawing.line(0, y - 5, width, y - 5, "grid");
    draw_row(drawing, scale, rows[n], y, total);
  }
  return drawing.svg();
}

std::string sparkline(const TaskProgress& task) {
  const std::vector<double> times = times_of(task);
  if (times.size() < 2) return "";
  const Scale across{0, static_cast<double>(times.size() - 1), 2, 94};
  const Scale level{0, std::ranges::max(times), 20, 2};
  std::vector<std::pair<double, double>> points;
  for (std::size_t n = 0; n < times.size(); ++n)
    points.emplace_back(across.at(static_cast<double>(n)), level.at(times[n]));
  Drawing drawing(98, 22, "Best time after each round", "spark");
  drawing.line(2, 20, 96, 20, "grid");
  drawing.path(line_path(points), "curve");
  drawing.dot(points.back().first, points.back().second, 2, "dot");
  return drawing.svg();
}

std::string share_bar(std::int64_t count, std::int64_t total) {
  const double share = total > 0 ? static_cast<double>(count) / static_cast<double>(total) : 0;
  const std::string text = fmt::format("{:.1f} %", 100 * share);
  Drawing drawing(160, 12, text, "share");
  drawing.bar(0, 1, 160, 10, "track", text);
  drawing.bar(0, 1, 160 * share, 10, "failed", text);
  return drawing.svg();
}

}  // namespace tessera
