#include "base/check.h"
#include "base/cores.h"
#include "base/stopwatch.h"
#include "cli/doctor.h"
#include "cli/example.h"
#include "cli/peak.h"
#include "cli/verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <vector>

namespace tessera {
namespace {

struct DemoOptions {
  std::int64_t repeats = 50;
  bool is_json = false;
};

/// Something to time: an instance, and the operations it stands for.
struct Contender {
  std::string_view name;
  const Instance& instance;
  double flops = 0;
  std::vector<double> seconds = {};
};

/// One line of the table.
struct Row {
  std::string_view name;
  std::int64_t threads = 1;
  double min_ms = 0;
  double median_ms = 0;
  double gflops = 0;  // in the shortest time
  double percent_of_peak = 0;
};

double seconds_of(const Instance& instance, ThreadPool& pool) {
  const Stopwatch stopwatch;
  instance.run(pool);
  return stopwatch.seconds();
}

/// By turns, so that what disturbs one disturbs all. A run before each timed one brings its data
/// into the caches.
void race(std::vector<Contender>& contenders, std::int64_t repeats, ThreadPool& pool) {
  for (std::int64_t n = 0; n < repeats; ++n)
    for (Contender& contender : contenders) {
      contender.instance.run(pool);
      contender.seconds.push_back(seconds_of(contender.instance, pool));
    }
}

Row row_of(const Contender& contender, std::int64_t threads) {
  std::vector<double> seconds = contender.seconds;
  std::ranges::sort(seconds);
  return {.name = contender.name,
          .threads = threads,
          .min_ms = 1e3 * seconds.front(),
          .median_ms = 1e3 * seconds[seconds.size() / 2],
          .gflops = 1e-9 * contender.flops / seconds.front()};
}

/// The peak of so many threads, then the examples.
std::vector<Row> rows_of(const std::vector<CheckedExample>& examples, std::int64_t threads,
                         std::int64_t repeats, const Target& target, const Backend& backend) {
  const Peak peak = make_peak(target, threads);
  const Instance peak_instance = make_instance(peak.program, target, backend);
  std::vector<Contender> contenders = {{"multiply-adds in registers", peak_instance, peak.flops}};
  for (const CheckedExample& e : examples) contenders.push_back({e.name, e.instance, e.flops});
  ThreadPool pool(threads);
  race(contenders, repeats, pool);
  std::vector<Row> rows;
  for (const Contender& contender : contenders) {
    Row& row = rows.emplace_back(row_of(contender, threads));
    row.percent_of_peak = 100 * row.gflops / rows.front().gflops;
  }
  return rows;
}

double compile_ms(const CheckedExample& e) {
  return std::chrono::duration<double, std::milli>(e.instance.compile_time()).count();
}

void print_intro(const Target& target) {
  fmt::print(
      "Target: {}\n"
      "Compiling with schedules from the analytic prior, untuned. Results are compared with those\n"
      "of plain loops and, for small shapes, of the interpreter.\n\n",
      to_text(target));
  for (const Finding& finding : examine(inspect_machine()))
    if (finding.name == "load" && !finding.advice.empty())
      fmt::print("Load: {}; {}.\n\n", finding.value, finding.advice);
}

void print_example(const CheckedExample& e) {
  fmt::print("{}{}\n  {}\n  compiled in {:.0f} ms, largest difference from plain loops {:.1g}\n",
             e.name, e.is_default ? ", the default schedule" : "", e.choices, compile_ms(e),
             e.max_error);
}

void print_header(std::int64_t repeats) {
  fmt::print(
      "\nTimed runs of each: {}, by turns with multiply-adds in registers, the peak.\n\n"
      "{:<30} {:>7} {:>9} {:>10} {:>8} {:>10}\n",
      repeats, "", "threads", "min ms", "median ms", "GFLOP/s", "% of peak");
}

void print_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    fmt::print("{:<30} {:>7} {:>9.3f} {:>10.3f} {:>8.1f} {:>10.1f}\n", row.name, row.threads,
               row.min_ms, row.median_ms, row.gflops, row.percent_of_peak);
}

void print_notes() {
  fmt::print(
      "\nGFLOP/s count the operations of the direct convolution, for Winograd too, which needs\n"
      "fewer and so may exceed the peak.\n");
}

nlohmann::ordered_json json_of(const CheckedExample& e) {
  return {{"name", e.name},
          {"task", e.spec},
          {"choices", e.choices},
          {"is_default", e.is_default},
          {"flops", e.flops},
          {"max_error", e.max_error},
          {"compile_ms", compile_ms(e)}};
}

nlohmann::ordered_json json_of(const Row& row) {
  return {{"name", row.name},     {"threads", row.threads},
          {"min_ms", row.min_ms}, {"median_ms", row.median_ms},
          {"gflops", row.gflops}, {"percent_of_peak", row.percent_of_peak}};
}

/// Prints each thing as soon as it is known, or all at the end as JSON.
int run_demo(const DemoOptions& options) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // lines come one by one through a pipe, too
  const Target target = detect_host();
  const std::unique_ptr<Backend> backend = llvm_backend();
  const bool is_text = !options.is_json;
  nlohmann::ordered_json document = {{"target", to_text(target)}};

  if (is_text) print_intro(target);
  std::vector<CheckedExample> all;
  ThreadPool pool;
  for (const Example& example : examples())
    for (CheckedExample& e : checked(example, target, *backend, pool)) {
      if (is_text) print_example(e);
      document["tasks"].push_back(json_of(e));
      all.push_back(std::move(e));
    }

  if (is_text) print_header(options.repeats);
  for (const std::int64_t threads : std::set<std::int64_t>{1, usable_cores()}) {
    const std::vector<Row> rows = rows_of(all, threads, options.repeats, target, *backend);
    if (is_text) print_rows(rows);
    for (const Row& row : rows) document["rows"].push_back(json_of(row));
  }
  is_text ? print_notes() : print_json(document);
  return ExitCode::success;
}

}  // namespace

void add_demo(CLI::App& program) {
  CLI::App& verb = *program.add_subcommand(
      "demo", "Compile, check and time a matmul and a convolution on this machine");
  const auto options = std::make_shared<DemoOptions>();
  verb.add_option("--repeats", options->repeats, "Timed runs of each")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000).description(""));
  verb.add_flag("--json", options->is_json, "Print JSON");
  verb.footer("Example: tessera demo");
  on_run(verb, [options] { return run_demo(*options); });
}

}  // namespace tessera
