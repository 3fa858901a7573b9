#include "report/sections.h"

#include "report/charts.h"
#include "report/facts.h"
#include "report/html.h"
#include "report/plain_text.h"

#include <fmt/format.h>

#include <array>

namespace tessera {
namespace {

std::string section(std::string_view name, std::string_view title, const std::string& note,
                    const std::string& content) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}{}</section>\n", name, title,
                     note.empty() ? "" : "<p class=\"note\">" + note + "</p>\n", content);
}

std::string plot(const std::string& svg) { return "<div class=\"scroll\">" + svg + "</div>\n"; }

constexpr std::string_view empty_note = "<p class=\"empty\">Nothing has been measured.</p>\n";
constexpr std::string_view legend =
    "<p class=\"legend\"><span class=\"key before\"></span>before <span class=\"key after\"></span>"
    "after</p>\n";

std::string text_cell(std::string_view text) {
  return fmt::format("<td data-value=\"{0}\">{0}</td>", escaped(text));
}

std::string number_cell(double value, const std::string& text) {
  return fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", value, text);
}

/// What is not known sorts below all that is.
std::string unknown_cell() { return number_cell(-1, "–"); }

std::string microseconds_cell(double seconds) {
  return is_known(seconds) ? number_cell(seconds, fmt::format("{:.1f}", seconds * 1e6))
                           : unknown_cell();
}

std::string count_cell(std::int64_t count) {
  return number_cell(static_cast<double>(count), grouped(count));
}

std::string ratio_cell(double numerator, double denominator) {
  if (!is_known(numerator) || !is_known(denominator)) return unknown_cell();
  return number_cell(numerator / denominator, fmt::format("{:.2f}×", numerator / denominator));
}

std::string percent_cell(std::optional<double> share) {
  return share ? number_cell(*share, fmt::format("{:.1f}", 100 * *share)) : unknown_cell();
}

bool has_schedule(const TaskProgress& task) {
  return !task.schedule.empty() || !task.choices.empty();
}

std::string title_cell(const TaskProgress& task, std::size_t number) {
  const std::string title = escaped(task.title);
  const std::string shown =
      has_schedule(task) ? fmt::format("<a href=\"#task-{}\">{}</a>", number, title) : title;
  return fmt::format("<td class=\"title\" data-value=\"{}\">{}</td>", title, shown);
}

std::string task_row(const TuningRun& run, const TaskProgress& task, std::size_t number) {
  return "<tr>" + count_cell(static_cast<std::int64_t>(number)) + title_cell(task, number) +
         count_cell(task.calls) + microseconds_cell(task.untuned_seconds) +
         microseconds_cell(task.best_seconds) +
         ratio_cell(task.untuned_seconds, task.best_seconds) +
         percent_cell(share_of_peak(run, task)) + count_cell(task.trials) +
         percent_cell(share_of_network(run, task.share(1))) + text_cell(task.origin) + "<td>" +
         sparkline(task) + "</td></tr>\n";
}

/// Columns that a click sorts by, then the trend.
std::string task_head() {
  constexpr std::array<std::string_view, 10> names = {"#",        "task",  "calls",  "untuned, µs",
                                                      "best, µs", "gain",  "% peak", "trials",
                                                      "share, %", "origin"};
  std::string head = "<thead><tr>";
  for (const std::string_view name : names) {
    const bool is_text = name == "task" || name == "origin";
    head += fmt::format("<th scope=\"col\"{}><button type=\"button\">{}</button></th>",
                        is_text ? "" : " class=\"number\"", name);
  }
  return head + "<th scope=\"col\">trend</th></tr></thead>\n";
}

std::string_view meaning_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Ok:
      return "measured";
    case Outcome::Refused:
      return "not legal, or more than the target holds";
    case Outcome::Crashed:
      return "its process died";
    case Outcome::TimedOut:
      return "took too long to compile or to run";
    case Outcome::OutOfMemory:
      return "needed more memory than it may";
    case Outcome::WrongResult:
      return "computed something else";
  }
  return "";
}

std::string finalist_row(const TuningRun& run, const Finalist& finalist) {
  const bool is_winner = finalist.name == run.winner;
  return fmt::format("<tr{}><td>{}{}</td>", is_winner ? " class=\"winner\"" : "",
                     escaped(finalist.name), is_winner ? " <span class=\"badge\">won</span>" : "") +
         number_cell(finalist.median_ms, significant(finalist.median_ms)) +
         number_cell(finalist.p90_ms, significant(finalist.p90_ms)) +
         number_cell(finalist.min_ms, significant(finalist.min_ms)) + count_cell(finalist.runs) +
         "</tr>\n";
}

/// `627.1 µs · 2.59× · store`, as far as it is known.
std::string outcome_of(const TaskProgress& task) {
  std::string text;
  if (is_known(task.best_seconds)) text = fmt::format("{:.1f} µs · ", task.best_seconds * 1e6);
  if (is_known(task.best_seconds) && is_known(task.untuned_seconds))
    text += fmt::format("{:.2f}× · ", task.untuned_seconds / task.best_seconds);
  return text + escaped(task.origin);
}

std::string schedule_details(const TaskProgress& task, std::size_t number) {
  std::string text = fmt::format(
      "<details id=\"task-{0}\"><summary><span class=\"ordinal\">{0}</span> {1} "
      "<span class=\"outcome\">{2}</span></summary>\n",
      number, escaped(task.title), outcome_of(task));
  if (!task.choices.empty())
    text += "<p class=\"choices\"><code>" + escaped(task.choices) + "</code></p>\n";
  if (!task.schedule.empty()) text += "<pre>" + escaped(task.schedule) + "</pre>\n";
  return text + "</details>\n";
}

}  // namespace

std::string curve_section(const TuningRun& run) {
  const std::string chart = curve_chart(run);
  return section("curve", "Best network over time",
                 "Estimate of one inference: the best time of each task so far, times its calls.",
                 chart.empty() ? std::string(empty_note) : plot(chart));
}

std::string bars_section(const TuningRun& run) {
  const std::string chart = task_chart(run);
  if (chart.empty()) return "";
  return section("tasks", "Where the time went, and goes",
                 "Tasks by the time they took before tuning; the number is the same in the tables "
                 "below. Peak is what multiply-adds in registers reach on this machine; operations "
                 "are those of the plain computation, so that Winograd convolutions may exceed it.",
                 std::string(legend) + plot(chart));
}

std::string task_table_section(const TuningRun& run) {
  if (run.tasks.empty()) return "";
  std::string rows;
  std::size_t number = 0;
  for (const TaskProgress& task : by_untuned_time(run.tasks)) rows += task_row(run, task, ++number);
  return section("table", "Tasks",
                 "Times are of one call. Share is of one inference now. The trend is the best time "
                 "after each round, drawn from zero.",
                 "<div class=\"scroll\"><table class=\"sortable\">\n" + task_head() + "<tbody>\n" +
                     rows + "</tbody></table></div>\n");
}

std::string finalists_section(const TuningRun& run) {
  if (run.finalists.empty()) return "";
  std::string rows;
  for (const Finalist& finalist : run.finalists) rows += finalist_row(run, finalist);
  return section("finalists", "Whole networks, side by side", "",
                 "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">plan</th>"
                 "<th class=\"number\">median, ms</th><th class=\"number\">p90, ms</th>"
                 "<th class=\"number\">min, ms</th><th class=\"number\">runs</th></tr></thead>\n"
                 "<tbody>\n" +
                     rows + "</tbody></table></div>\n");
}

std::string failures_section(const TuningRun& run) {
  std::int64_t all = 0;
  for (const auto& [outcome, count] : run.outcomes) all += count;
  if (all == 0) return "";
  if (failures(run) == 0)
    return section("failures", "Failures", "", "<p class=\"empty\">No candidate failed.</p>\n");
  std::string rows;
  for (const auto& [outcome, count] : run.outcomes)
    if (outcome != Outcome::Ok && count > 0)
      rows += fmt::format("<tr><td>{}</td>{}<td>{}</td><td class=\"faint\">{}</td></tr>\n",
                          words_of(outcome), count_cell(count), share_bar(count, failures(run)),
                          meaning_of(outcome));
  return section("failures", "Failures",
                 fmt::format("{} of {} candidates failed.", grouped(failures(run)), grouped(all)),
                 "<div class=\"scroll\"><table><tbody>\n" + rows + "</tbody></table></div>\n");
}

std::string schedules_section(const TuningRun& run) {
  std::string details;
  std::size_t number = 0;
  for (const TaskProgress& task : by_untuned_time(run.tasks))
    if (++number; has_schedule(task)) details += schedule_details(task, number);
  if (details.empty()) return "";
  return section("schedules", "Winning schedules", "", details);
}

}  // namespace tessera
