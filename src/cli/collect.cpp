#include "learn/collect.h"

#include "base/file.h"
#include "cli/build_info.h"
#include "cli/host_target.h"
#include "cli/interrupts.h"
#include "cli/status_line.h"
#include "cli/store_argument.h"
#include "cli/verbs.h"
#include "learn/network_uses.h"
#include "record/exchange.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace tessera {
namespace {

struct CollectArguments {
  std::string store;
  std::string output;
  std::string target = "native";
  std::int64_t threads = 0;
  std::int64_t schedules = static_cast<std::int64_t>(CollectOptions().schedules);
  std::int64_t further_schedules = static_cast<std::int64_t>(CollectOptions().further_schedules);
  std::int64_t training_tasks = static_cast<std::int64_t>(CorpusSize().training);
  std::int64_t further_tasks = static_cast<std::int64_t>(CorpusSize().further);
  std::uint64_t seed = 1;
  bool is_json = false;
};

std::string line_of(const CollectProgress& state) {
  std::int64_t failed = 0;
  for (const auto& [outcome, count] : state.outcomes) failed += outcome == Outcome::Ok ? 0 : count;
  return fmt::format(
      "{} of {} tasks, {} of {} schedules, {} failed, {:.0f} per second, {:.0f} min left",
      state.tasks_done, state.tasks, state.known + state.measured, state.wanted, failed,
      state.rate(), state.seconds_left() / 60);
}

/// The folder gets all that the store has, and the networks of this target beside those of others.
Result<void> write_data(const RecordStore& store, const std::vector<CorpusTask>& tasks,
                        const Target& target, const std::string& folder) {
  if (const auto done = export_records(store, folder, {}, std::string(build_info.version)); !done)
    return done.error();
  const std::string path = (std::filesystem::path(folder) / "networks.json").string();
  std::vector<NetworkUses> all;
  if (std::filesystem::exists(path)) {
    const Result<std::string> text = read_file(path);
    if (!text) return text.error();
    Result<std::vector<NetworkUses>> known = parse_network_uses(*text);
    if (!known) return Error{path + ": " + known.error().message};
    all = *std::move(known);
    std::erase_if(all, [&](const NetworkUses& one) { return one.target == to_text(target); });
  }
  std::ranges::move(uses_of(tasks, target), std::back_inserter(all));
  return write_file(path, to_json(all));
}

Result<CollectProgress> collect(const CollectArguments& arguments) {
  const Result<Target> target = host_target(arguments.target, arguments.threads);
  if (!target) return target.error();
  Result<RecordStore> store = RecordStore::open(arguments.store);
  if (!store) return store.error();
  const Interrupts interrupts;
  StatusLine status(to_text(*target));
  const auto tasks =
      corpus_tasks(*target,
                   {.training = static_cast<std::size_t>(arguments.training_tasks),
                    .further = static_cast<std::size_t>(arguments.further_tasks)},
                   [&](std::string_view name) { status.show("tasks of " + std::string(name)); });
  if (!tasks) return tasks.error();
  const std::unique_ptr<Backend> backend = llvm_backend();
  CollectOptions options;
  options.schedules = static_cast<std::size_t>(arguments.schedules);
  options.further_schedules = static_cast<std::size_t>(arguments.further_schedules);
  options.seed = arguments.seed;
  options.measure.threads = target->cores;
  options.version = build_info.version;
  options.is_stopped = [&] { return interrupts.has_come(); };
  Result<CollectProgress> done =
      tessera::collect(*tasks, *backend, *store, options,
                       [&](const CollectProgress& state) { status.show(line_of(state)); });
  if (!done || arguments.output.empty()) return done;
  if (const auto written = write_data(*store, *tasks, *target, arguments.output); !written)
    return written.error();
  return done;
}

int run_collect(const CollectArguments& arguments) {
  const Result<CollectProgress> done = collect(arguments);
  if (!done) return refuse(done.error());
  if (arguments.is_json) {
    nlohmann::ordered_json outcomes = nlohmann::ordered_json::object();
    for (const auto& [outcome, count] : done->outcomes)
      outcomes[std::string(to_text(outcome))] = count;
    print_json({{"tasks", done->tasks},
                {"tasks_done", done->tasks_done},
                {"known", done->known},
                {"measured", done->measured},
                {"outcomes", outcomes},
                {"seconds", done->seconds}});
    return ExitCode::success;
  }
  fmt::print("{} of {} tasks, {} schedules known before, {} measured in {:.0f} s{}\n",
             done->tasks_done, done->tasks, done->known, done->measured, done->seconds,
             done->tasks_done < done->tasks ? "; run it again and it goes on" : "");
  return ExitCode::success;
}

}  // namespace

void add_collect(CLI::App& program) {
  auto arguments = std::make_shared<CollectArguments>();
  CLI::App& verb =
      *program.add_subcommand("collect", "Measure schedules to teach cost models with");
  add_store_argument(verb, arguments->store);
  verb.add_option("-o,--output", arguments->output,
                  "A folder for the data set: all records of the store, and the networks")
      ->type_name("FOLDER");
  verb.add_option("--target", arguments->target,
                  "Whose instructions to use, on the cores and caches of this machine")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--threads", arguments->threads, "Threads that candidates run on; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--schedules", arguments->schedules, "Of each task")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--training-tasks", arguments->training_tasks,
                  "Of networks that are not held out, at most")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--further-schedules", arguments->further_schedules, "Of each further task")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--further-tasks", arguments->further_tasks,
                  "More of those networks, with fewer schedules each, at most")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--seed", arguments->seed, "Of all randomness")->capture_default_str();
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer(
      "Example: tessera collect --target x86-avx --db data.db -o data\n"
      "Interrupt it and run it again: it goes on.");
  on_run(verb, [arguments] { return run_collect(*arguments); });
}

}  // namespace tessera
