#include "base/stopwatch.h"
#include "base/unfinished_file.h"
#include "cli/model_argument.h"
#include "cli/output_path.h"
#include "cli/store_argument.h"
#include "cli/verbs.h"
#include "package/build.h"
#include "search/plan_records.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <unistd.h>

namespace tessera {
namespace {

struct CompileArguments {
  ModelArgument model;
  std::string output;
  std::string target = "native";
  std::int64_t threads = 0;
  bool is_frozen = false;
  std::string store;
  bool is_json = false;
};

/// Compiles with the schedules that records have, searching and measuring nothing.
Result<ExecutionPlan> build_frozen(Graph graph, const Target& target, const std::string& path,
                                   const std::string& store_path, CompileOptions options) {
  const Result<RecordStore> store = RecordStore::open_existing(store_path);
  if (!store) return store.error();
  PriorDrafts drafts;
  const Result<Network> network = extract_network(std::move(graph), target, drafts);
  if (!network) return network.error();
  Result<std::vector<Schedule>> schedules = recorded_schedules(*store, tasks_of(*network, target));
  if (!schedules) return schedules.error();
  options.schedule_of = one_by_one(*std::move(schedules));
  const Result<CompiledNetwork> compiled =
      compile_network(*network, target, *llvm_backend(), options);
  if (!compiled) return compiled.error();
  if (const auto done = write_network(*compiled, target, path); !done) return done.error();
  return compiled->plan;
}

int run_compile(const CompileArguments& arguments) {
  Result<Target> target = parse_target(arguments.target);
  if (!target) return refuse(target.error());
  if (arguments.threads > 0) target->cores = arguments.threads;
  const Stopwatch stopwatch;
  const std::string path =
      arguments.output.empty() ? default_output(arguments.model.model) : arguments.output;
  // Now rather than after all the work; what it makes goes at once.
  if (const auto writable = UnfinishedFile::make(path); !writable) return refuse(writable.error());
  Result<Graph> graph = read_model(arguments.model);
  if (!graph) return refuse(graph.error());
  CompileOptions options;
  if (isatty(STDERR_FILENO) != 0)
    options.progress = [](std::size_t n, std::size_t count) {
      fmt::print(stderr, "\rcompile: kernel {} of {} ", n, count);
      if (n == count) fmt::print(stderr, "\n");
    };
  const Result<ExecutionPlan> plan =
      arguments.is_frozen ? build_frozen(*std::move(graph), *target, path, arguments.store, options)
                          : build_package(*std::move(graph), *target, path, options);
  if (!plan) return refuse({arguments.model.model + ": " + plan.error().message});
  const double took = stopwatch.seconds();
  const nlohmann::ordered_json facts = {{"package", path},
                                        {"target", to_text(*target)},
                                        {"kernels", plan->kernels.size()},
                                        {"calls", plan->calls.size()},
                                        {"weights_bytes", plan->weights_bytes},
                                        {"arena_bytes", plan->arena_bytes},
                                        {"seconds", took}};
  if (arguments.is_json)
    print_json(facts);
  else
    fmt::print(
        "{}: {} kernels in {} calls, {:.1f} MB of weights, {:.1f} MB of memory, for {}, in "
        "{:.1f} s\n",
        path, plan->kernels.size(), plan->calls.size(),
        static_cast<double>(plan->weights_bytes) / 1e6,
        static_cast<double>(plan->arena_bytes) / 1e6, target->name, took);
  return ExitCode::success;
}

}  // namespace

void add_compile(CLI::App& program) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App& verb = *program.add_subcommand("compile", "Compile a network into a package");
  add_model_argument(verb, arguments->model, "An ONNX file, or zoo:NAME");
  verb.add_option("-o,--output", arguments->output,
                  "The package to write; by default MODEL.tessera")
      ->type_name("FILE");
  verb.add_option("--target", arguments->target, "What to make code for, see tessera devices")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--threads", arguments->threads, "Threads it will run on; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_flag("--frozen", arguments->is_frozen,
                "Take the schedules that tuning has recorded and no others");
  add_store_argument(verb, arguments->store);
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer(
      "Example: tessera compile model.onnx -o model.tessera\n"
      "         tessera compile zoo:resnet50 --threads 2");
  on_run(verb, [arguments] { return run_compile(*arguments); });
}

}  // namespace tessera
