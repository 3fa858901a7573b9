#include "report/html.h"
#include "report/plain_text.h"
#include "report/sections.h"

#include <fmt/format.h>

namespace tessera {
namespace {

/// A list of names and values; values that are empty are left out.
class Facts {
 public:
  void add(std::string_view name, std::string_view value) {
    if (!value.empty())
      rows_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escaped(value));
  }
  const std::string& rows() const { return rows_; }

 private:
  std::string rows_;
};

std::string budget_text(const TuningRun& run) {
  std::string text;
  if (run.budget_seconds > 0) text = duration_text(run.budget_seconds);
  if (run.budget_trials > 0)
    text += (text.empty() ? "" : " or ") + grouped(run.budget_trials) + " trials";
  return text;
}

/// Others that run at the same time make timings vary.
std::string load_text(const TuningRun& run) {
  if (!run.conditions.load) return "";
  const bool is_busy = *run.conditions.load > 0.5 * static_cast<double>(run.threads);
  return fmt::format("{:.2f}{}", *run.conditions.load,
                     is_busy ? ", others were running: timings may vary" : "");
}

std::string measured_text(std::optional<double> value, std::string_view unit) {
  return value ? fmt::format("{:.4g} {}", *value, unit) : "";
}

}  // namespace

std::string environment_section(const TuningRun& run) {
  Facts facts;
  facts.add("model", run.model);
  facts.add("package", run.package);
  facts.add("machine", run.machine);
  facts.add("target", run.target);
  facts.add("threads", std::to_string(run.threads));
  if (run.peak_flops_per_second > 0)
    facts.add("peak", fmt::format("{:.1f} GFLOP/s", run.peak_flops_per_second / 1e9));
  facts.add("load at start", load_text(run));
  facts.add("clock", measured_text(run.conditions.clock_ghz, "GHz"));
  facts.add("temperature", measured_text(run.conditions.celsius, "°C"));
  facts.add("started", run.started);
  facts.add("took", duration_text(run.elapsed_seconds));
  facts.add("budget", budget_text(run));
  facts.add("records known before", grouped(run.known));
  if (run.outdated > 0) facts.add("records that no longer apply", grouped(run.outdated));
  facts.add("sampler", run.sampler);
  facts.add("cost model", run.cost_model);
  facts.add("seed", std::to_string(run.seed));
  facts.add("version", run.version);
  return "<section id=\"environment\">\n<h2>Where and how</h2>\n<dl class=\"facts\">\n" +
         facts.rows() + "</dl>\n</section>\n";
}

}  // namespace tessera
