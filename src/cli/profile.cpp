#include "base/file.h"
#include "base/text.h"
#include "cli/model_argument.h"
#include "cli/roofline.h"
#include "cli/schedule_summary.h"
#include "cli/verbs.h"
#include "runtime/port_buffers.h"
#include "runtime/session.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>

namespace tessera {
namespace {

struct ProfileArguments {
  ModelArgument model;
  std::int64_t threads = 0;
  std::int64_t runs = 20;
  std::string trace;
  bool shows_schedules = false;
  bool is_json = false;
};

/// The shortest time of each call over several runs, in seconds.
Result<std::vector<double>> call_seconds(Session& session, std::int64_t runs) {
  const ExecutionPlan& plan = session.package().plan();
  PortBuffers in(plan.inputs), out(plan.outputs);
  in.fill_random(1);
  std::vector<std::chrono::nanoseconds> now(plan.calls.size());
  std::vector<double> best(plan.calls.size(), std::numeric_limits<double>::infinity());
  for (std::int64_t run = 0; run < runs; ++run) {
    if (const auto done = session.run(in.inputs(), out.outputs(), now); !done) return done.error();
    for (std::size_t n = 0; n < now.size(); ++n)
      best[n] = std::min(best[n], std::chrono::duration<double>(now[n]).count());
  }
  return best;
}

/// A kernel and the calls of it.
struct TaskProfile {
  KernelCode kernel;
  std::vector<std::size_t> calls;  // in the plan
  Work work;                       // of all calls
};

/// The tasks of a plan, those that take longest first.
std::vector<TaskProfile> tasks_of(const ExecutionPlan& plan, const std::vector<double>& seconds) {
  std::vector<TaskProfile> tasks;
  for (const KernelCode& kernel : plan.kernels) tasks.push_back({kernel, {}, {}});
  for (std::size_t n = 0; n < plan.calls.size(); ++n) {
    const KernelCall& call = plan.calls[n];
    TaskProfile& task = tasks[static_cast<std::size_t>(call.kernel)];
    task.calls.push_back(n);
    task.work.flops += call.flops;
    task.work.traffic_bytes += call.traffic_bytes;
    task.work.seconds += seconds[n];
  }
  std::erase_if(tasks, [](const TaskProfile& task) { return task.calls.empty(); });
  std::ranges::stable_sort(tasks, std::greater(),
                           [](const TaskProfile& task) { return task.work.seconds; });
  return tasks;
}

/// What was measured of a network.
struct Profile {
  const ExecutionPlan& plan;
  std::vector<double> seconds;  // of each call
  std::vector<TaskProfile> tasks;
  Roofline roofline;
  std::int64_t threads = 1;

  double total_seconds() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
};

/// One run as Chrome's trace viewer shows it: calls one after the other, microseconds.
std::string trace_of(const Profile& profile) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  double at = 0;
  for (std::size_t n = 0; n < profile.plan.calls.size(); ++n) {
    const KernelCall& call = profile.plan.calls[n];
    const KernelCode& kernel = profile.plan.kernels[static_cast<std::size_t>(call.kernel)];
    const double duration = profile.seconds[n] * 1e6;
    events.push_back({{"name", call.title},
                      {"ph", "X"},
                      {"ts", at},
                      {"dur", duration},
                      {"pid", 1},
                      {"tid", 1},
                      {"args",
                       {{"kernel", kernel.symbol},
                        {"flops", call.flops},
                        {"traffic_bytes", call.traffic_bytes}}}});
    at += duration;
  }
  return nlohmann::ordered_json{{"traceEvents", events}}.dump(1);
}

/// A schedule that this version cannot read is told as such: the package still runs.
std::string schedule_title(const KernelCode& kernel) {
  const Result<Schedule> schedule = parse_schedule(kernel.schedule);
  return schedule ? summary_of(*schedule) : "unknown";
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split_lines(text)) out += "    " + line + "\n";
  return out;
}

void print_table(const Profile& profile, bool shows_schedules) {
  const double total = profile.total_seconds();
  fmt::print("{:>9} {:>6} {:>5} {:>8} {:>7} {:<9} {:<11} {:<36} {}\n", "ms", "share", "calls",
             "GFLOP/s", "% peak", "limit", "kernel", "schedule", "first call");
  for (const TaskProfile& task : profile.tasks) {
    const Work& work = task.work;
    fmt::print("{:>9.4f} {:>5.1f}% {:>5} {:>8.1f} {:>7.1f} {:<9} {:<11} {:<36} {}\n",
               work.seconds * 1e3, 100 * work.seconds / total, task.calls.size(),
               work.flops / work.seconds / 1e9, 100 * profile.roofline.share_of_peak(work),
               profile.roofline.limit(work), task.kernel.symbol, schedule_title(task.kernel),
               profile.plan.calls[task.calls.front()].title);
    if (shows_schedules) fmt::print("{}", indented(task.kernel.schedule));
  }
  fmt::print(
      "{:>9.4f} ms in {} calls of {} kernels, {} threads, peak {:.1f} GFLOP/s, {:.1f} GB/s\n",
      total * 1e3, profile.seconds.size(), profile.tasks.size(), profile.threads,
      profile.roofline.flops_per_second / 1e9, profile.roofline.bytes_per_second / 1e9);
}

nlohmann::ordered_json json_of(const TaskProfile& task, const Profile& profile) {
  const Work& work = task.work;
  nlohmann::ordered_json calls = nlohmann::ordered_json::array();
  for (const std::size_t call : task.calls)
    calls.push_back(
        {{"title", profile.plan.calls[call].title}, {"ms", profile.seconds[call] * 1e3}});
  return {{"kernel", task.kernel.symbol},
          {"ms", work.seconds * 1e3},
          {"share", work.seconds / profile.total_seconds()},
          {"flops", work.flops},
          {"traffic_bytes", work.traffic_bytes},
          {"gflops", work.flops / work.seconds / 1e9},
          {"percent_of_peak", 100 * profile.roofline.share_of_peak(work)},
          {"limit", profile.roofline.limit(work)},
          {"schedule", task.kernel.schedule},
          {"calls", calls}};
}

nlohmann::ordered_json document_of(const std::string& model, const Profile& profile) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const TaskProfile& task : profile.tasks) tasks.push_back(json_of(task, profile));
  return {{"model", model},
          {"threads", profile.threads},
          {"ms", profile.total_seconds() * 1e3},
          {"peak_gflops", profile.roofline.flops_per_second / 1e9},
          {"bandwidth_gb_per_s", profile.roofline.bytes_per_second / 1e9},
          {"tasks", tasks}};
}

int run_profile(const ProfileArguments& arguments) {
  const auto package = open_or_compile(arguments.model, arguments.threads);
  if (!package) return refuse(package.error());
  Result<Session> session = Session::make(*package, {.threads = arguments.threads, .pool = {}});
  if (!session) return refuse(session.error());
  Result<std::vector<double>> seconds = call_seconds(*session, arguments.runs);
  if (!seconds) return refuse(seconds.error());
  const ExecutionPlan& plan = (*package)->plan();
  std::vector<TaskProfile> tasks = tasks_of(plan, *seconds);
  const Profile profile{
      plan, *std::move(seconds), std::move(tasks),
      measure_roofline(detect_host(), session->threads(), plan.weights_bytes + plan.arena_bytes),
      session->threads()};
  if (!arguments.trace.empty())
    if (const auto done = write_file(arguments.trace, trace_of(profile)); !done)
      return refuse(done.error());
  arguments.is_json ? print_json(document_of(arguments.model.model, profile))
                    : print_table(profile, arguments.shows_schedules);
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
  verb.add_flag("--schedules", arguments->shows_schedules,
                "Print the schedules, not their summaries only");
  verb.add_flag("--json", arguments->is_json, "Print JSON, schedules included");
  verb.footer(
      "Example: tessera profile model.tessera --trace trace.json\n\n"
      "Peak is what multiply-adds in registers reach on this machine with as many threads. The "
      "limit is\n"
      "compute or memory, whichever alone would take longer: all operations at that peak, or all "
      "operands\n"
      "and results once at the speed at which memory as large as the network's is read. It is "
      "overhead\n"
      "when both would take less than a quarter of the time. Operations are those of the plain\n"
      "computation, so that Winograd convolutions may exceed the peak.");
  on_run(verb, [arguments] { return run_profile(*arguments); });
}

}  // namespace tessera
