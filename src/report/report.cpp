#include "report/report.h"

#include "base/text.h"
#include "report/html.h"
#include "report/page_style.h"
#include "report/sections.h"

#include <fmt/format.h>

#include <array>

namespace tessera {
namespace {

constexpr std::array sections = {
    title_section,     headline_section, curve_section,     bars_section,        task_table_section,
    finalists_section, failures_section, schedules_section, environment_section,
};

/// The browser itself is told to ask for nothing: whatever a model's names hold, it stays here.
constexpr std::string_view policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

std::string head(const TuningRun& run) {
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<link rel=\"icon\" href=\"data:,\">\n<title>{} – Tessera tuning report</title>\n",
             policy, run.model.empty() ? "unnamed model" : escaped(run.model)) +
         "<style>\n" + std::string(page_style()) + "</style>\n</head>\n";
}

std::string footer(const TuningRun& run) {
  return "<footer><p>" + escaped(trimmed("tessera " + run.version)) +
         ". One file with all data inside: the element <code>run</code> holds what "
         "<code>tessera report</code> read.</p></footer>\n";
}

}  // namespace

std::string html_report(const TuningRun& run) {
  std::string page = head(run) + "<body>\n<main>\n";
  for (const auto section : sections) page += section(run);
  page += footer(run) + "</main>\n";
  page += "<script type=\"application/json\" id=\"run\">" + escaped_json(to_json(run)) +
          "</script>\n<script>\n" + std::string(page_script()) + "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace tessera
