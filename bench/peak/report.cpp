#include "peak/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace tessera::bench {
namespace {

using Rows = std::vector<Row>;
using Ratio = std::function<std::optional<double>(const Row&)>;

std::optional<double> over_onednn(const Row& row) {
  if (!row.onednn_gflops) return std::nullopt;
  return row.best_gflops / *row.onednn_gflops;
}

std::optional<double> over_openblas(const Row& row) {
  if (!row.openblas_gflops) return std::nullopt;
  return row.best_gflops / *row.openblas_gflops;
}

std::optional<double> default_over_best(const Row& row) {
  return row.default_gflops / row.best_gflops;
}

std::optional<double> percent_of_stream(const Row& row) {
  if (!row.stream_gflops) return std::nullopt;
  return 100 * row.best_gflops / *row.stream_gflops;
}

/// Of the rows that have the ratio; nothing when none does.
std::optional<double> geomean(const Rows& rows, const Ratio& ratio) {
  double sum = 0;
  int count = 0;
  for (const Row& row : rows)
    if (const auto value = ratio(row)) {
      sum += std::log(*value);
      ++count;
    }
  return count > 0 ? std::optional(std::exp(sum / count)) : std::nullopt;
}

/// Rows of one group and number of threads, in order of appearance.
std::vector<Rows> groups(const Rows& rows) {
  std::vector<Rows> all;
  for (const Row& row : rows) {
    const auto same = [&](const Rows& g) {
      return g[0].group == row.group && g[0].threads == row.threads;
    };
    const auto found = std::ranges::find_if(all, same);
    found == all.end() ? all.push_back({row}) : found->push_back(row);
  }
  return all;
}

/// The rows with the fewest threads: the others follow from them and would count twice.
Rows leading_rows(const Rows& rows) {
  Rows all;
  for (const Row& row : rows)
    if (row.threads == std::ranges::min_element(rows, {}, &Row::threads)->threads)
      all.push_back(row);
  return all;
}

std::string text(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string means_text(const Rows& rows) {
  return fmt::format("best/onednn {}, best/openblas {}, default/best {}",
                     text(geomean(rows, over_onednn), 3), text(geomean(rows, over_openblas), 3),
                     text(geomean(rows, default_over_best), 3));
}

nlohmann::ordered_json json_of(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json json_of(const Row& row) {
  return {{"group", row.group},
          {"shape", row.shape},
          {"algorithm", row.algorithm},
          {"target", row.target},
          {"threads", row.threads},
          {"default_gflops", row.default_gflops},
          {"best_gflops", row.best_gflops},
          {"openblas_gflops", json_of(row.openblas_gflops)},
          {"onednn_gflops", json_of(row.onednn_gflops)},
          {"percent_of_peak", row.percent_of_peak()},
          {"schedule", row.schedule},
          {"default_percent_of_peak", row.default_percent_of_peak()},
          {"peak_gflops", row.peak_gflops},
          {"stream_gflops", json_of(row.stream_gflops)},
          {"percent_of_stream", json_of(percent_of_stream(row))},
          {"two_thread_scaling", json_of(row.two_thread_scaling)},
          {"spread", row.spread},
          {"interrupted", row.interrupted},
          {"disturbed", row.is_disturbed},
          {"choices", row.choices},
          {"openblas_kernel", row.openblas_kernel},
          {"onednn_kernel", row.onednn_kernel}};
}

constexpr auto line =
    "{:<14} {:<21} {:<10} {:<10} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7} {:>8} {:>8}";

}  // namespace

std::string header_text() {
  return fmt::format(fmt::runtime(line), "group", "shape", "algorithm", "target", "threads",
                     "default", "best", "openblas", "onednn", "default", "best", "best/", "best/") +
         "\n" +
         fmt::format(fmt::runtime(line), "", "", "", "", "", "GFLOP/s", "GFLOP/s", "GFLOP/s",
                     "GFLOP/s", "% peak", "% peak", "onednn", "% stream");
}

std::string row_text(const Row& row) {
  return fmt::format(fmt::runtime(line), row.group, row.shape, row.algorithm, row.target,
                     row.threads, text(row.default_gflops, 1), text(row.best_gflops, 1),
                     text(row.openblas_gflops, 1), text(row.onednn_gflops, 1),
                     text(row.default_percent_of_peak(), 1), text(row.percent_of_peak(), 1),
                     text(over_onednn(row), 2), text(percent_of_stream(row), 1)) +
         (row.is_disturbed ? " ~" : "");
}

std::string summary_text(const Report& report) {
  std::string out = fmt::format("compile ms: median {:.1f}, 95th percentile {:.1f}\n",
                                report.compile_ms_median, report.compile_ms_p95);
  for (const Rows& group : groups(report.rows))
    out += fmt::format("geomean {}, threads {}: {}\n", group[0].group, group[0].threads,
                       means_text(group));
  const Rows rows = leading_rows(report.rows);
  if (rows.empty()) return out;
  return out + fmt::format("geomean of all {} rows, threads {}: {}\n", rows.size(), rows[0].threads,
                           means_text(rows));
}

std::string json_text(const Report& report) {
  double peak_per_thread = 0;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Row& row : report.rows) {
    rows.push_back(json_of(row));
    peak_per_thread = std::max(peak_per_thread, row.peak_gflops / static_cast<double>(row.threads));
  }
  const Rows leading = leading_rows(report.rows);
  const nlohmann::ordered_json document = {
      {"peak_gflops_1t", peak_per_thread},
      {"rows", rows},
      {"compile_ms", {{"median", report.compile_ms_median}, {"p95", report.compile_ms_p95}}},
      {"geomean_over_onednn", json_of(geomean(leading, over_onednn))},
      {"geomean_over_openblas", json_of(geomean(leading, over_openblas))}};
  return document.dump(2) + "\n";
}

}  // namespace tessera::bench
