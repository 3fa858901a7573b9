#include "base/file.h"
#include "cli/model_argument.h"
#include "cli/port_buffers.h"
#include "cli/verbs.h"
#include "runtime/session.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

namespace tessera {
namespace {

struct ProfileArguments {
  ModelArgument model;
  std::int64_t threads = 0;
  std::int64_t runs = 20;
  std::string trace;
  bool is_json = false;
};

/// The shortest time of each call over several runs, in milliseconds.
Result<std::vector<double>> call_times(Session& session, const ProfileArguments& arguments) {
  const ExecutionPlan& plan = session.package().plan();
  PortBuffers in(plan.inputs), out(plan.outputs);
  in.fill_random(1);
  std::vector<std::chrono::nanoseconds> now(plan.calls.size());
  std::vector<double> best(plan.calls.size(), 1e30);
  for (std::int64_t run = 0; run < arguments.runs; ++run) {
    if (const auto done = session.run(in.inputs(), out.outputs(), now); !done) return done.error();
    for (std::size_t n = 0; n < now.size(); ++n)
      best[n] = std::min(best[n], std::chrono::duration<double, std::milli>(now[n]).count());
  }
  return best;
}

/// One run as Chrome's trace viewer shows it: calls one after the other, microseconds.
std::string trace_of(const ExecutionPlan& plan, const std::vector<double>& times_ms) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  double at = 0;
  for (std::size_t n = 0; n < plan.calls.size(); ++n) {
    const KernelCall& call = plan.calls[n];
    events.push_back({{"name", call.title},
                      {"ph", "X"},
                      {"ts", at},
                      {"dur", times_ms[n] * 1000},
                      {"pid", 1},
                      {"tid", 1},
                      {"args",
                       {{"kernel", plan.kernels[static_cast<std::size_t>(call.kernel)]},
                        {"flops", call.flops}}}});
    at += times_ms[n] * 1000;
  }
  return nlohmann::ordered_json{{"traceEvents", events}}.dump(1);
}

void print_table(const ExecutionPlan& plan, const std::vector<double>& times_ms) {
  const double total = std::accumulate(times_ms.begin(), times_ms.end(), 0.0);
  std::vector<std::size_t> order(times_ms.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return times_ms[a] > times_ms[b]; });
  fmt::print("{:>9} {:>6} {:>9}  {:<10} {}\n", "ms", "share", "GFLOP/s", "kernel", "call");
  for (const std::size_t n : order) {
    const KernelCall& call = plan.calls[n];
    fmt::print("{:>9.4f} {:>5.1f}% {:>9.1f}  {:<10} {}\n", times_ms[n], 100 * times_ms[n] / total,
               call.flops / times_ms[n] / 1e6, plan.kernels[static_cast<std::size_t>(call.kernel)],
               call.title);
  }
  fmt::print("{:>9.4f} ms in {} calls\n", total, times_ms.size());
}

int run_profile(const ProfileArguments& arguments) {
  const auto package = open_or_compile(arguments.model, arguments.threads);
  if (!package) return refuse(package.error());
  Result<Session> session = Session::make(*package, {.threads = arguments.threads, .pool = {}});
  if (!session) return refuse(session.error());
  const Result<std::vector<double>> times = call_times(*session, arguments);
  if (!times) return refuse(times.error());
  const ExecutionPlan& plan = (*package)->plan();
  if (!arguments.trace.empty())
    if (const auto done = write_file(arguments.trace, trace_of(plan, *times)); !done)
      return refuse(done.error());
  if (!arguments.is_json) {
    print_table(plan, *times);
    return ExitCode::success;
  }
  nlohmann::ordered_json calls = nlohmann::ordered_json::array();
  for (std::size_t n = 0; n < times->size(); ++n)
    calls.push_back({{"call", plan.calls[n].title},
                     {"kernel", plan.kernels[static_cast<std::size_t>(plan.calls[n].kernel)]},
                     {"ms", (*times)[n]},
                     {"flops", plan.calls[n].flops}});
  print_json({{"model", arguments.model.model}, {"threads", session->threads()}, {"calls", calls}});
  return ExitCode::success;
}

}  // namespace

void add_profile(CLI::App& program) {
  auto arguments = std::make_shared<ProfileArguments>();
  CLI::App& verb = *program.add_subcommand("profile", "Show where the time of a network goes");
  add_model_argument(verb, arguments->model, "A package, an ONNX file, or zoo:NAME");
  verb.add_option("--threads", arguments->threads, "Threads to run on; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--runs", arguments->runs, "Runs of which each call's shortest time counts")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  verb.add_option("--trace", arguments->trace, "Also write a trace for Chrome's viewer")
      ->type_name("FILE");
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer("Example: tessera profile model.tessera --trace trace.json");
  on_run(verb, [arguments] { return run_profile(*arguments); });
}

}  // namespace tessera
