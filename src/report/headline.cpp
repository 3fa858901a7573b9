#include "report/facts.h"
#include "report/html.h"
#include "report/plain_text.h"
#include "report/sections.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

std::string milliseconds(double seconds) { return significant(seconds * 1e3) + " ms"; }

std::string tile(const std::string& value, std::string_view name) {
  return fmt::format("<div><dd>{}</dd><dt>{}</dt></div>", value, name);
}

std::string tiles(const TuningRun& run) {
  return "<dl class=\"tiles\">" + tile(grouped(run.trials()), "trials") +
         tile(duration_text(run.elapsed_seconds), "time") +
         tile(grouped(static_cast<std::int64_t>(run.tasks.size())), "tasks") +
         tile(grouped(failures(run)), "candidates failed") + "</dl>\n";
}

std::string what_happened(const Change& change) {
  if (change.speedup() >= 1.005) return "faster";
  return change.speedup() > 0.995 ? "unchanged" : "slower";
}

std::string change_markup(const Change& change, const std::string& basis) {
  return fmt::format(
      "<div class=\"speedup\"><strong>{:.2f}×</strong> <span>{}</span></div>\n"
      "<div class=\"latency\"><p><span class=\"was\">{}</span> <span class=\"arrow\">→</span> "
      "<span class=\"now\">{}</span></p><p class=\"basis\">{}</p></div>\n",
      change.speedup(), what_happened(change), milliseconds(change.before_seconds),
      milliseconds(change.after_seconds), basis);
}

std::string verdict_of_finalists(const TuningRun& run) {
  if (run.winner == untuned_name)
    return "<p class=\"verdict\">The untuned plan was measured beside the others, was the fastest "
           "and was kept.</p>\n";
  return fmt::format(
      "<p class=\"verdict\"><b>{}</b> won among {} plans of the whole network, measured by turns. "
      "The untuned plan was one of them: had it been the fastest, it would have been kept.</p>\n",
      escaped(run.winner), run.finalists.size());
}

std::string unfinished_note(const TuningRun& run) {
  if (run.phase == "done" || run.phase.empty()) return "";
  return fmt::format("<p class=\"verdict\">The run had not ended: it was in phase <b>{}</b>.</p>\n",
                     escaped(run.phase));
}

std::string change_section(const TuningRun& run) {
  if (const auto measured = measured_change(run))
    return change_markup(*measured, "one inference, median of whole networks") + tiles(run) +
           verdict_of_finalists(run);
  if (const auto estimated = estimated_change(run))
    return change_markup(*estimated, "one inference, estimated") + tiles(run) +
           "<p class=\"verdict\">An estimate: the best time of each task, times its calls. Whole "
           "networks have not been compared.</p>\n";
  return fmt::format(
      "<div class=\"speedup none\"><span>nothing to compare yet</span></div>\n{}"
      "<p class=\"verdict\">{} of {} tasks have been measured.</p>\n",
      tiles(run), measured_tasks(run), run.tasks.size());
}

/// `x86-avx2` of a target's text, which goes on with its sizes.
std::string name_of_target(const std::string& target) { return target.substr(0, target.find(' ')); }

}  // namespace

std::string title_section(const TuningRun& run) {
  std::string where;
  const auto add = [&](const std::string& part) {
    if (part.empty()) return;
    where += (where.empty() ? "" : " <span class=\"sep\">·</span> ") + escaped(part);
  };
  add(run.machine);
  add(name_of_target(run.target));
  if (run.threads > 0) add(fmt::format("{} thread{}", run.threads, run.threads == 1 ? "" : "s"));
  add(run.started);
  return fmt::format(
      "<header>\n<p class=\"eyebrow\">Tessera tuning report</p>\n<h1>{}</h1>\n"
      "<p class=\"where\">{}</p>\n</header>\n",
      run.model.empty() ? "unnamed model" : escaped(run.model), where);
}

std::string headline_section(const TuningRun& run) {
  return "<section class=\"headline\">\n" + change_section(run) + unfinished_note(run) +
         "</section>\n";
}

}  // namespace tessera
