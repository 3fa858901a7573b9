#include "learn/adapt.h"

#include "base/cores.h"
#include "cli/budget_argument.h"
#include "cli/build_info.h"
#include "cli/host_target.h"
#include "cli/interrupts.h"
#include "cli/status_line.h"
#include "cli/store_argument.h"
#include "cli/verbs.h"
#include "cli/weights_folder.h"
#include "learn/corpus.h"
#include "model/trained_model.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace tessera {
namespace {

struct AdaptArguments {
  std::string store;
  std::string target = "native";
  std::string from, output;
  double budget_seconds = 600;
  std::int64_t threads = 0;
  std::int64_t tasks = 160;
  std::uint64_t seed = 1;
  bool is_json = false;
};

Result<Adapted> adapt(const AdaptArguments& arguments) {
  const Stopwatch since;
  if (const auto enough = expect_time_to_adapt(arguments.budget_seconds); !enough)
    return enough.error();
  const Result<Target> target = host_target(arguments.target, arguments.threads);
  if (!target) return target.error();
  const Result<KnowledgeBase> base = read_knowledge_base(arguments.from);
  if (!base) return base.error();
  Result<RecordStore> store = RecordStore::open(arguments.store);
  if (!store) return store.error();
  const Interrupts interrupts;
  StatusLine status(to_text(*target));
  const auto corpus =
      corpus_tasks(*target, {.training = static_cast<std::size_t>(arguments.tasks), .further = 0},
                   [&](std::string_view name) { status.show("tasks of " + std::string(name)); });
  if (!corpus) return corpus.error();
  std::vector<Task> tasks;
  for (const CorpusTask& one : *corpus)
    if (!one.is_held_out) tasks.push_back(one.task);
  AdaptOptions options{.budget_seconds = arguments.budget_seconds,
                       .since = since,
                       .version = std::string(build_info.version),
                       .distil = thorough()};
  options.measure.threads = target->cores;
  options.distil.seed = arguments.seed;
  options.distil.threads = static_cast<int>(usable_cores());
  options.distil.is_stopped = [&] { return interrupts.has_come(); };
  const std::unique_ptr<Backend> backend = llvm_backend();
  return tessera::adapt(*base, tasks, *backend, *store, options, [&](const AdaptProgress& state) {
    status.show(fmt::format("{}, {} tasks, {} of {} programs, {:.0f} of {:.0f} s", state.doing,
                            state.tasks, state.measured, state.programs, state.seconds,
                            arguments.budget_seconds));
  });
}

int run_adapt(AdaptArguments arguments) {
  const std::string file = file_of_trained("mamba");
  if (arguments.from.empty()) arguments.from = weights_folder("mamba") + "/" + file;
  if (arguments.output.empty()) {
    const std::string folder = adapted_weights_folder();
    if (folder.empty()) return refuse({"no home folder for weights: expected -o FILE"});
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) return refuse({folder + ": " + problem.message()});
    arguments.output = folder + "/" + file;
  }
  const Result<Adapted> adapted = adapt(arguments);
  if (!adapted) return refuse(adapted.error());
  const bool is_better = adapted->top1_after > adapted->top1_before;
  if (is_better) {
    const TrainedRanker trained =
        to_trained(adapted->base, {{"adapted_from", arguments.from},
                                   {"adapted_to", arguments.target},
                                   {"programs", std::to_string(adapted->measured)}});
    if (const auto written = write_trained_ranker(arguments.output, trained); !written)
      return refuse(written.error());
  }
  if (arguments.is_json) {
    print_json({{"programs", adapted->measured},
                {"top1_before", adapted->top1_before},
                {"top1_after", adapted->top1_after},
                {"is_better", is_better},
                {"weights", is_better ? arguments.output : arguments.from}});
    return ExitCode::success;
  }
  fmt::print(
      "{} programs measured; top-1 on tasks that were not learned from {:.4f} before, {:.4f} "
      "after\n",
      adapted->measured, adapted->top1_before, adapted->top1_after);
  if (is_better)
    fmt::print("{} written{}\n", arguments.output,
               arguments.output == adapted_weights_folder() + "/" + file
                   ? "; tune uses it from now on"
                   : "");
  else
    fmt::print("not better: {} stays\n", arguments.from);
  return ExitCode::success;
}

}  // namespace

void add_adapt(CLI::App& program) {
  auto arguments = std::make_shared<AdaptArguments>();
  CLI::App& verb = *program.add_subcommand("adapt", "Learn what is fast on this machine");
  add_budget_argument(verb, arguments->budget_seconds,
                      "How long it may take: 90s, 5min, 1h; by default 10min");
  verb.add_option("--from", arguments->from,
                  "Weights of a mamba to begin with; by default those that tune uses")
      ->type_name("FILE");
  verb.add_option("-o,--output", arguments->output,
                  "The weights to write if they are better; by default where tune looks first")
      ->type_name("FILE");
  verb.add_option("--target", arguments->target,
                  "Whose instructions to use, on the cores and caches of this machine")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--tasks", arguments->tasks, "Whose programs are measured, at most")
      ->check(CLI::Range(8, 1000))
      ->capture_default_str();
  add_store_argument(verb, arguments->store);
  verb.add_option("--seed", arguments->seed, "Of what is drawn by lot")->capture_default_str();
  verb.add_option("--threads", arguments->threads, "Of the programs; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer(
      "Example: tessera adapt --budget 10min\n"
      "Interrupt it and run it again: what was measured is kept.");
  on_run(verb, [arguments] { return run_adapt(*arguments); });
}

}  // namespace tessera
