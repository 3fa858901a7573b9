#include "base/cores.h"
#include "peak/bounds.h"
#include "peak/contest.h"
#include "peak/peers.h"
#include "peak/timing.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>

namespace tessera::bench {
namespace {

constexpr int compile_samples = 200;

struct Options {
  std::string target = "native";
  std::vector<std::int64_t> threads = {1, 2};
  int trials = 200;
  std::string filter, json;
};

Result<Target> usable_target(const std::string& text) {
  Result<Target> target = parse_target(text);
  if (target && !runs_here(*target))
    return Error{"target " + text + ": does not run on this machine"};
  return target;
}

Result<std::vector<Case>> chosen_cases(const std::string& filter) {
  std::vector<Case> cases = all_cases();
  std::erase_if(cases, [&](const Case& c) { return name_of(c).find(filter) == std::string::npos; });
  if (cases.empty()) return Error{"--filter " + filter + ": no row of the table matches"};
  return cases;
}

void warn_of_load() {
  if (load() > 0.5)
    fmt::print(stderr,
               "peak: load {:.1f} on {} cores: others are running; several threads come out slow\n",
               load(), usable_cores());
}

Result<Report> run_cases(const std::vector<Case>& cases, const ContestOptions& options) {
  const std::unique_ptr<Backend> backend = llvm_backend();
  Report report;
  std::vector<Case> present;
  for (std::size_t n = 0; n < cases.size(); ++n) {
    fmt::print(stderr, "[{}/{}] {}\n", n + 1, cases.size(), name_of(cases[n]));
    const Result<std::vector<Row>> rows = contest(cases[n], options, *backend);
    if (!rows) return rows.error();
    if (rows->empty())
      fmt::print(stderr, "peak: skipped, the space has no such algorithm\n");
    else
      present.push_back(cases[n]);
    for (const Row& row : *rows) {
      fmt::print("{}\n", row_text(row));
      std::fflush(stdout);
      report.rows.push_back(row);
    }
  }
  if (present.empty()) return Error{"no row is left"};
  fmt::print(stderr, "peak: compiling {} random schedules\n", compile_samples);
  const std::vector<double> seconds =
      compile_seconds(present, compile_samples, options.target, *backend);
  report.compile_ms_median = 1e3 * median(seconds);
  report.compile_ms_p95 = 1e3 * quantile(seconds, 0.95);
  return report;
}

int run(const Options& options) {
  const auto refuse = [](const Error& error, int code) {
    fmt::print(stderr, "peak: {}\n", error.message);
    return code;
  };
  const Result<Target> target = usable_target(options.target);
  if (!target) return refuse(target.error(), 2);
  const Result<std::vector<Case>> cases = chosen_cases(options.filter);
  if (!cases) return refuse(cases.error(), 2);
  std::ofstream json(options.json);
  if (!options.json.empty() && !json) return refuse({options.json + ": cannot be written"}, 2);

  warn_of_load();
  fmt::print("target {}, peak by {}, openblas {}, onednn {}, {} trials\n\n{}\n", to_text(*target),
             fma_peak_isa(), openblas_version(), onednn_version(), options.trials, header_text());
  const Result<Report> report = run_cases(*cases, {*target, options.threads, options.trials});
  if (!report) return refuse(report.error(), 1);
  if (!options.json.empty()) json << json_text(*report);
  fmt::print("\n{}", summary_text(*report));
  return 0;
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::bench::Options options;
  CLI::App program("Compiled code against this machine's peak, OpenBLAS and oneDNN", "peak");
  program.add_option("--target", options.target, "Target to compile for")->capture_default_str();
  program.add_option("--threads", options.threads, "Numbers of threads, as in 1,2")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  program.add_option("--trials", options.trials, "Schedules to measure for each row")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  program.add_option("--filter", options.filter,
                     "Only rows whose group, shape and algorithm contain this");
  program.add_option("--json", options.json, "Write the rows to this file as JSON");
  program.footer("Example: peak --trials 20 --threads 1 --filter 'conv 3x3'");
  try {
    program.parse(argc, argv);
    return tessera::bench::run(options);
  } catch (const CLI::Success& wish) {
    return program.exit(wish);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "peak: {}; see peak --help\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "peak: {}\n", error.what());
    return 1;
  }
}
