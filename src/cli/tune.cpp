#include "base/file.h"
#include "base/stopwatch.h"
#include "base/temporary_folder.h"
#include "base/unfinished_file.h"
#include "cli/budget_argument.h"
#include "cli/build_info.h"
#include "cli/interrupts.h"
#include "cli/machine.h"
#include "cli/model_argument.h"
#include "cli/output_path.h"
#include "cli/roofline.h"
#include "cli/store_argument.h"
#include "cli/tuning_screen.h"
#include "cli/verbs.h"
#include "cli/weights_folder.h"
#include "measure/conditions.h"
#include "package/build.h"
#include "search/contest.h"
#include "search/plan_records.h"
#include "search/tuner.h"

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

namespace tessera {
namespace {

struct TuneArguments {
  ModelArgument model;
  std::string output;
  std::string target = "native";
  std::string store;
  std::int64_t threads = 0;
  double budget_seconds = 300;
  std::int64_t trials = 0;
  std::string sampler = "evolve";
  std::string cost_model = "mamba";
  std::uint64_t seed = 1;
  bool is_json = false;
};

/// What is kept of the budget for confirming the best of each task and comparing whole networks.
double ending_seconds(double budget) { return std::min(budget / 6, 40.0); }
/// Of that, what writing the winner takes at most; and the longest comparison that tells more.
constexpr double writing_seconds = 1;
constexpr double longest_comparison_seconds = 30;

TuningRun facts_of(const TuneArguments& arguments, const Target& target) {
  TuningRun run;
  run.model = arguments.model.model;
  run.target = to_text(target);
  run.threads = target.cores;
  run.sampler = arguments.sampler;
  run.cost_model = arguments.cost_model;
  run.seed = arguments.seed;
  run.budget_seconds = arguments.budget_seconds;
  run.budget_trials = arguments.trials;
  run.version = build_info.version;
  run.machine = inspect_machine().cpu;
  run.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  run.conditions = conditions_now();
  constexpr std::int64_t memory_bytes = 1 << 20;  // the bandwidth is not asked for
  run.peak_flops_per_second = measure_roofline(target, target.cores, memory_bytes).flops_per_second;
  return run;
}

/// The cost model that was asked for, or the one that needs no weights, with the reason on stderr.
Result<std::string> usable_cost_model(const std::string& name) {
  const auto made = make_cost_model(name, {.weights_folder = weights_folder(name)});
  if (made) return name;
  if (!is_trained(name)) return made.error();
  fmt::print(stderr, "tessera: {}; candidates are ranked by the prior instead\n",
             made.error().message);
  return std::string("trees");
}

/// Candidates 0 and the best of each task as whole networks, then the best of each task where it
/// stands; the fastest is written. Ends with the budget if it can.
Result<void> finish(const Network& network, const Target& target, const Backend& backend,
                    RecordStore& store, const Tuner& tuner, bool is_short,
                    const Stopwatch& stopwatch, TuningRun& run) {
  const Result<TemporaryFolder> scratch = TemporaryFolder::make();
  if (!scratch) return scratch.error();
  Contest contest(network, target, backend,
                  {.threads = target.cores, .folder = scratch->path().string()});
  const auto enter = [&](const char* name, std::vector<Schedule> schedules) {
    return contest.enter(name, std::move(schedules));
  };
  if (const auto done = enter("untuned", tuner.untuned_schedules()); !done) return done.error();
  if (const auto done = enter("tuned", tuner.schedules(0)); !done) return done.error();
  if (!is_short) {
    if (const auto done = enter("second", tuner.schedules(1)); !done) return done.error();
    Result<std::vector<Schedule>> best = contest.best_in_place();
    if (!best) return best.error();
    contest.withdraw("second");
    if (const auto done = enter("placed", *std::move(best)); !done) return done.error();
  }
  const double left = run.budget_seconds - writing_seconds - stopwatch.seconds();
  Result<std::vector<Finalist>> finalists =
      contest.compare(is_short ? 1 : std::min(left, longest_comparison_seconds));
  if (!finalists) return finalists.error();
  run.finalists = *std::move(finalists);
  run.winner = std::ranges::min_element(run.finalists, {}, &Finalist::median_ms)->name;
  if (const auto done = record_plan(store, tuner.tasks(), contest.schedules_of(run.winner),
                                    contest.seconds_in_place(run.winner), run.version);
      !done)
    return done.error();
  return contest.write(run.winner, run.package);
}

TuneOptions options_for(const TuneArguments& arguments, const Target& target,
                        const std::string& cost_model, double search_seconds,
                        const Interrupts& interrupts, TuningScreen& screen) {
  TuneOptions options;
  options.budget_trials = arguments.trials;
  options.budget_seconds = search_seconds;
  options.sampler = arguments.sampler;
  options.cost_model = cost_model;
  options.weights_folder = weights_folder(cost_model);
  options.seed = arguments.seed;
  options.measure.threads = target.cores;
  options.version = build_info.version;
  options.is_stopped = [&] { return interrupts.has_come(); };
  options.progress = [&](const TuningRun& run) { screen.show(run); };
  return options;
}

Result<TuningRun> tune(const TuneArguments& arguments, const std::string& output,
                       const std::string& run_path) {
  const Stopwatch stopwatch;
  const Result<std::string> cost_model = usable_cost_model(arguments.cost_model);
  if (!cost_model) return cost_model.error();
  if (arguments.budget_seconds <= 0) return Error{"--budget: expected more than no time"};
  Result<Target> target = parse_target(arguments.target);
  if (!target) return target.error();
  if (!runs_here(*target))
    return Error{"target " + target->name + ": this machine cannot run its code"};
  if (arguments.threads > 0) target->cores = arguments.threads;
  for (const std::string& path : {output, run_path})
    if (const auto writable = UnfinishedFile::make(path); !writable) return writable.error();
  Result<RecordStore> store = RecordStore::open(arguments.store);
  if (!store) return store.error();
  Result<Graph> graph = read_model(arguments.model);
  if (!graph) return graph.error();
  PriorDrafts drafts;
  const Result<Network> network = extract_network(*std::move(graph), *target, drafts);
  if (!network) return Error{arguments.model.model + ": " + network.error().message};

  const Interrupts interrupts;
  const std::unique_ptr<Backend> backend = llvm_backend();
  TuningScreen screen(TuningScreen::mode_for(arguments.is_json));
  TuningRun facts = facts_of(arguments, *target);
  facts.cost_model = *cost_model;
  const double budget = arguments.budget_seconds;
  const double search_seconds = budget - ending_seconds(budget) - stopwatch.seconds();
  Result<Tuner> tuner =
      Tuner::make(*network, *target, *backend, *store, std::move(facts),
                  options_for(arguments, *target, *cost_model, search_seconds, interrupts, screen));
  if (!tuner) return tuner.error();
  if (const auto done = tuner->tune(); !done) return done.error();
  if (!interrupts.has_come())
    if (const auto done = tuner->confirm(); !done) return done.error();
  TuningRun run = tuner->run();
  run.phase = "compare";
  run.package = output;
  screen.show(run);
  if (const auto done = finish(*network, *target, *backend, *store, *tuner, interrupts.has_come(),
                               stopwatch, run);
      !done)
    return done.error();
  run.phase = "done";
  run.elapsed_seconds = stopwatch.seconds();
  if (const auto done = write_file(run_path, to_json(run)); !done) return done.error();
  screen.finish(run);
  return run;
}

void print_text(const TuningRun& run, const std::string& run_path) {
  const auto median_of = [&](const std::string& name) {
    return std::ranges::find(run.finalists, name, &Finalist::name)->median_ms;
  };
  const double untuned = median_of("untuned"), tuned = median_of(run.winner);
  fmt::print("{}: untuned {:.3f} ms, {} {:.3f} ms, {:.2f}x, medians by turns on {} threads\n",
             run.package, untuned, run.winner == "untuned" ? "kept at" : "tuned", tuned,
             untuned / tuned, run.threads);
  fmt::print("{}: {} candidates in {:.0f} s; see tessera report\n", run_path, run.trials(),
             run.elapsed_seconds);
}

int run_tune(const TuneArguments& arguments) {
  const std::string output =
      arguments.output.empty() ? default_output(arguments.model.model) : arguments.output;
  const std::string run_path =
      std::filesystem::path(output).replace_extension(".run.json").string();
  const Result<TuningRun> run = tune(arguments, output, run_path);
  if (!run) return refuse(run.error());
  if (!arguments.is_json) print_text(*run, run_path);
  return ExitCode::success;
}

}  // namespace

void add_tune(CLI::App& program) {
  auto arguments = std::make_shared<TuneArguments>();
  CLI::App& verb = *program.add_subcommand("tune", "Find the fastest code for a network");
  add_model_argument(verb, arguments->model, "An ONNX file, or zoo:NAME");
  verb.add_option("-o,--output", arguments->output,
                  "The package to write; by default MODEL.tessera")
      ->type_name("FILE");
  add_budget_argument(verb, arguments->budget_seconds,
                      "How long it may take: 90s, 5min, 1h; by default 5min");
  verb.add_option("--trials", arguments->trials,
                  "How many candidates to measure at most, if there is time for so many")
      ->check(CLI::PositiveNumber);
  verb.add_option("--target", arguments->target, "What to tune for; it must run here")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--threads", arguments->threads, "Threads it will run on; by default all")
      ->check(CLI::Range(1, 1024));
  add_store_argument(verb, arguments->store);
  verb.add_option("--sampler", arguments->sampler,
                  "Who proposes candidates: evolve, greedy, random")
      ->capture_default_str();
  verb.add_option("--cost-model", arguments->cost_model,
                  "Who ranks them: mamba, tlp, tenset-mlp, gbdt, trees, prior")
      ->capture_default_str();
  verb.add_option("--seed", arguments->seed, "Of all randomness")->capture_default_str();
  verb.add_flag("--json", arguments->is_json, "Print events as JSON, one a line");
  verb.footer(
      "Example: tessera tune model.onnx --budget 5min -o model.tessera\n"
      "Interrupt it once and it finishes with what it has; run it again and it goes on.");
  on_run(verb, [arguments] { return run_tune(*arguments); });
}

}  // namespace tessera
