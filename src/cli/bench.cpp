#include "base/stopwatch.h"
#include "cli/model_argument.h"
#include "cli/verbs.h"
#include "measure/timings.h"
#include "runtime/port_buffers.h"
#include "runtime/session.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace tessera {
namespace {

struct BenchArguments {
  ModelArgument model;
  std::int64_t threads = 0;
  double seconds = 3;
  bool is_json = false;
};

struct Measured {
  std::int64_t warm_up_runs = 0;
  Timings timings;
};

/// Runs until the time is over, the first tenth uncounted; at least ten runs.
Result<Measured> measure(Session& session, PortBuffers& in, PortBuffers& out, double seconds) {
  std::vector<double> milliseconds;
  std::int64_t warm_up_runs = 0;
  const Stopwatch stopwatch;
  while (stopwatch.seconds() < seconds || milliseconds.size() < 10) {
    const Stopwatch of_this_run;
    if (const auto done = session.run(in.inputs(), out.outputs()); !done) return done.error();
    const double took = 1e3 * of_this_run.seconds();
    if (warm_up_runs == 0 || stopwatch.seconds() < seconds / 10)
      ++warm_up_runs;
    else
      milliseconds.push_back(took);
  }
  return Measured{warm_up_runs, Timings(std::move(milliseconds))};
}

nlohmann::ordered_json document_of(const std::string& model, std::int64_t threads,
                                   const Measured& measured) {
  const Timings& timings = measured.timings;
  return {{"model", model},
          {"threads", threads},
          {"warm_up_runs", measured.warm_up_runs},
          {"runs", timings.runs()},
          {"median_ms", timings.median()},
          {"median_error_ms", timings.median_error()},
          {"p90_ms", timings.p90()},
          {"min_ms", timings.min()},
          {"is_noisy", timings.is_noisy()}};
}

void print_text(const std::string& model, std::int64_t threads, const Measured& measured) {
  const Timings& timings = measured.timings;
  fmt::print(
      "{}: median {:.3f} ms (± {:.3f}, 95 %), p90 {:.3f}, min {:.3f}, {} runs after {} to warm up, "
      "{} threads\n",
      model, timings.median(), timings.median_error(), timings.p90(), timings.min(), timings.runs(),
      measured.warm_up_runs, threads);
  if (timings.is_noisy())
    fmt::print(stderr, "tessera: timings vary by more than a fifth: is the machine busy?\n");
}

int run_bench(const BenchArguments& arguments) {
  const auto package = open_or_compile(arguments.model, arguments.threads);
  if (!package) return refuse(package.error());
  Result<Session> session = Session::make(*package, {.threads = arguments.threads, .pool = {}});
  if (!session) return refuse(session.error());
  PortBuffers in((*package)->plan().inputs), out((*package)->plan().outputs);
  in.fill_random(1);
  const Result<Measured> measured = measure(*session, in, out, arguments.seconds);
  if (!measured) return refuse(measured.error());
  const std::string& model = arguments.model.model;
  arguments.is_json ? print_json(document_of(model, session->threads(), *measured))
                    : print_text(model, session->threads(), *measured);
  return ExitCode::success;
}

}  // namespace

void add_bench(CLI::App& program) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App& verb = *program.add_subcommand("bench", "Time a network on this machine");
  add_model_argument(verb, arguments->model, "A package, an ONNX file, or zoo:NAME");
  verb.add_option("--threads", arguments->threads, "Threads to run on; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--seconds", arguments->seconds, "How long to run it, a tenth of it to warm up")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer("Example: tessera bench model.tessera --threads 2");
  on_run(verb, [arguments] { return run_bench(*arguments); });
}

}  // namespace tessera
