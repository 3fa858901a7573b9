#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::bench {

/// One line of the table. Speeds in GFLOP/s, from the fastest sample.
struct Row {
  std::string group, shape, algorithm, target;
  std::int64_t threads = 1;
  double default_gflops = 0, best_gflops = 0;
  std::optional<double> openblas_gflops, onednn_gflops;
  double peak_gflops = 0;                    // of as many threads, measured beside the row
  std::optional<double> stream_gflops;       // at which the machine's memory would be the limit
  std::optional<double> two_thread_scaling;  // over the row with one thread
  double spread = 0;                         // median over fastest sample of best, less 1
  double interrupted = 0;                    // share of the samples of best
  bool is_disturbed = false;                 // others ran: mostly interrupted, or cores not free
  std::string schedule, choices, openblas_kernel, onednn_kernel;

  double percent_of_peak() const { return 100 * best_gflops / peak_gflops; }
  double default_percent_of_peak() const { return 100 * default_gflops / peak_gflops; }
};

struct Report {
  std::vector<Row> rows;
  double compile_ms_median = 0, compile_ms_p95 = 0;
};

/// The names of the columns in two lines, and a row to stand below them.
std::string header_text();
std::string row_text(const Row& row);
/// Geometric means: a line for each group and number of threads, then the whole.
std::string summary_text(const Report& report);
std::string json_text(const Report& report);

}  // namespace tessera::bench
