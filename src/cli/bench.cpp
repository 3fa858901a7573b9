#include "cli/model_argument.h"
#include "cli/port_buffers.h"
#include "cli/verbs.h"
#include "runtime/session.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchArguments {
  ModelArgument model;
  std::int64_t threads = 0;
  double seconds = 3;
  bool is_json = false;
};

/// What repeated runs took, in milliseconds.
struct Timings {
  std::vector<double> sorted;

  double quantile(double q) const {
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
  double median() const { return quantile(0.5); }
  /// Half of the 95 % interval of the median, by the order statistics of a binomial.
  double median_error() const {
    const double half = 0.98 / std::sqrt(static_cast<double>(sorted.size()));
    return (quantile(std::min(1.0, 0.5 + half)) - quantile(std::max(0.0, 0.5 - half))) / 2;
  }
};

/// Runs until the time is over, the first tenth uncounted; at least ten runs.
Result<Timings> time_runs(Session& session, PortBuffers& in, PortBuffers& out, double seconds) {
  Timings timings;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  while (elapsed() < seconds || timings.sorted.size() < 10) {
    const auto before = Clock::now();
    if (const auto done = session.run(in.inputs(), out.outputs()); !done) return done.error();
    const std::chrono::duration<double, std::milli> took = Clock::now() - before;
    if (elapsed() > seconds / 10) timings.sorted.push_back(took.count());
  }
  std::sort(timings.sorted.begin(), timings.sorted.end());
  return timings;
}

int run_bench(const BenchArguments& arguments) {
  const auto package = open_or_compile(arguments.model, arguments.threads);
  if (!package) return refuse(package.error());
  Result<Session> session = Session::make(*package, {.threads = arguments.threads, .pool = {}});
  if (!session) return refuse(session.error());
  PortBuffers in((*package)->plan().inputs), out((*package)->plan().outputs);
  in.fill_random(1);
  const Result<Timings> timings = time_runs(*session, in, out, arguments.seconds);
  if (!timings) return refuse(timings.error());
  const double median = timings->median();
  const bool is_noisy = timings->quantile(0.9) > 1.2 * median;
  if (arguments.is_json) {
    const nlohmann::ordered_json document = {{"model", arguments.model.model},
                                             {"threads", session->threads()},
                                             {"runs", timings->sorted.size()},
                                             {"median_ms", median},
                                             {"median_error_ms", timings->median_error()},
                                             {"p90_ms", timings->quantile(0.9)},
                                             {"min_ms", timings->sorted.front()},
                                             {"is_noisy", is_noisy}};
    print_json(document);
    return ExitCode::success;
  }
  fmt::print("{}: median {:.3f} ms (± {:.3f}), p90 {:.3f}, min {:.3f}, {} runs, {} threads\n",
             arguments.model.model, median, timings->median_error(), timings->quantile(0.9),
             timings->sorted.front(), timings->sorted.size(), session->threads());
  if (is_noisy)
    fmt::print(stderr, "tessera: timings vary by more than a fifth: is the machine busy?\n");
  return ExitCode::success;
}

}  // namespace

void add_bench(CLI::App& program) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App& verb = *program.add_subcommand("bench", "Time a network on this machine");
  add_model_argument(verb, arguments->model, "A package, an ONNX file, or zoo:NAME");
  verb.add_option("--threads", arguments->threads, "Threads to run on; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--seconds", arguments->seconds, "How long to run it")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer("Example: tessera bench model.tessera --threads 2");
  on_run(verb, [arguments] { return run_bench(*arguments); });
}

}  // namespace tessera
