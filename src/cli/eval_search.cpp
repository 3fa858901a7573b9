#include "base/file.h"
#include "base/hash.h"
#include "cli/build_info.h"
#include "cli/eval.h"
#include "cli/host_target.h"
#include "cli/verbs.h"
#include "cli/weights_folder.h"
#include "learn/search_race.h"
#include "model/cost_model.h"
#include "model/trained_model.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

namespace tessera {
namespace {

struct EvalSearchArguments {
  std::string target = "native";
  std::string work = "build/eval/search";
  std::string weights;
  std::vector<std::string> networks{"resnet50", "mobilenet_v2", "resnext50", "bert_tiny",
                                    "bert_base"};
  std::vector<std::string> models{"mamba", "tlp", "tenset-mlp", "gbdt", "trees", "prior", "none"};
  std::string goal = "tenset-mlp";
  std::int64_t seeds = 3;
  std::int64_t trials = 2000;
  std::int64_t threads = 0;
  bool is_json = false;
};

/// Of the weights that a search uses, so that runs with others are not taken for its own.
Result<std::string> weights_name(const RaceEntry& entry) {
  if (!is_trained(entry.cost_model)) return entry.cost_model;
  const std::string path = entry.weights_folder + "/" + file_of_trained(entry.cost_model);
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  return entry.cost_model + "-" + to_text(fingerprint(*bytes)).substr(0, 8);
}

/// Runs are kept: another call goes on where this one ended.
Result<TuningRun> run_of(const RaceEntry& entry, const Target& target, const std::string& work) {
  const Result<std::string> weights = weights_name(entry);
  if (!weights) return weights.error();
  const std::string path = fmt::format("{}/{}-{}-{}-{}-{}.run.json", work, target.name,
                                       entry.network, *weights, entry.seed, entry.trials);
  if (std::filesystem::exists(path)) {
    const Result<std::string> text = read_file(path);
    if (!text) return text.error();
    Result<TuningRun> known = parse_tuning_run(*text);
    if (!known) return Error{path + ": " + known.error().message};
    return known;
  }
  Result<TuningRun> run = search_alone(entry, target, std::string(build_info.version));
  if (!run) return run;
  if (const auto written = write_file(path, to_json(*run)); !written) return written.error();
  fmt::print(stderr, "{} {} seed {}: {:.3f} ms after {} trials, {:.0f} s\n", entry.network,
             entry.cost_model, entry.seed, 1e3 * run->curve.back().network_seconds, run->trials(),
             run->curve.back().elapsed_seconds);
  return run;
}

Result<std::vector<TuningRun>> runs_of(const EvalSearchArguments& arguments, const Target& target,
                                       const std::string& network, const std::string& model) {
  std::vector<TuningRun> runs;
  for (std::int64_t seed = 1; seed <= arguments.seeds; ++seed) {
    Result<TuningRun> run = run_of({.network = network,
                                    .cost_model = model,
                                    .seed = static_cast<std::uint64_t>(seed),
                                    .trials = arguments.trials,
                                    .weights_folder = arguments.weights},
                                   target, arguments.work);
    if (!run) return Error{network + ", " + model + ": " + run.error().message};
    runs.push_back(*std::move(run));
  }
  return runs;
}

Result<std::vector<RaceResult>> eval_search(const EvalSearchArguments& arguments) {
  const Result<Target> target = host_target(arguments.target, arguments.threads);
  if (!target) return target.error();
  std::error_code problem;
  std::filesystem::create_directories(arguments.work, problem);
  if (problem) return Error{arguments.work + ": " + problem.message()};
  std::vector<RaceResult> results;
  for (const std::string& network : arguments.networks) {
    const Result<std::vector<TuningRun>> goal =
        runs_of(arguments, *target, network, arguments.goal);
    if (!goal) return goal.error();
    for (const std::string& model : arguments.models) {
      const Result<std::vector<TuningRun>> runs = runs_of(arguments, *target, network, model);
      if (!runs) return runs.error();
      results.push_back(compare_runs(*runs, *goal));
    }
  }
  return results;
}

/// How many times sooner than the other ended its trials the goal was reached.
std::optional<double> ratio_of(const RaceResult& result) {
  if (!result.seconds_to_goal) return std::nullopt;
  return result.goal_run_seconds / *result.seconds_to_goal;
}

void print_results(const std::vector<RaceResult>& results, const EvalSearchArguments& arguments) {
  fmt::print("{:14} {:12} {:>10} {:>10} {:>9} {:>12} {:>12} {:>8}\n", "network", "cost model",
             "final ms", "goal ms", "reached", "trials", "seconds", "ratio");
  for (const RaceResult& one : results) {
    const auto number = [](const std::optional<double>& value, const char* format) {
      return value ? fmt::format(fmt::runtime(format), *value) : std::string("not reached");
    };
    fmt::print("{:14} {:12} {:10.3f} {:10.3f} {:>4} of {} {:>12} {:>12} {:>8}\n", one.network,
               one.cost_model, 1e3 * one.final_seconds, 1e3 * one.goal_seconds, one.reached,
               one.runs, number(one.trials_to_goal, "{:.0f}"),
               number(one.seconds_to_goal, "{:.1f}"), number(ratio_of(one), "{:.1f}"));
  }
  for (const std::string& model : arguments.models) {
    double sooner = 0, faster = 0;  // sums of logarithms
    int reached = 0, networks = 0;
    for (const RaceResult& one : results) {
      if (one.cost_model != model) continue;
      faster += std::log(one.goal_seconds / one.final_seconds);
      ++networks;
      if (!ratio_of(one)) continue;
      sooner += std::log(*ratio_of(one));
      ++reached;
    }
    fmt::print("{}: {:.3f} times as fast at the end, geometric mean of {} networks", model,
               std::exp(faster / networks), networks);
    if (reached > 0)
      fmt::print("; {:.2f} times sooner, that of {}", std::exp(sooner / reached), reached);
    fmt::print("\n");
  }
}

nlohmann::ordered_json json_of(const std::vector<RaceResult>& results) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const auto optional = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  for (const RaceResult& one : results)
    all.push_back({{"network", one.network},
                   {"cost_model", one.cost_model},
                   {"final_ms", 1e3 * one.final_seconds},
                   {"goal_ms", 1e3 * one.goal_seconds},
                   {"runs", one.runs},
                   {"reached", one.reached},
                   {"trials_to_goal", optional(one.trials_to_goal)},
                   {"seconds_to_goal", optional(one.seconds_to_goal)},
                   {"goal_run_seconds", one.goal_run_seconds},
                   {"ratio", optional(ratio_of(one))}});
  return all;
}

int run_eval_search(EvalSearchArguments arguments) {
  if (arguments.weights.empty()) arguments.weights = shipped_weights_folder();
  const Result<std::vector<RaceResult>> results = eval_search(arguments);
  if (!results) return refuse(results.error());
  if (arguments.is_json)
    print_json({{"target", arguments.target},
                {"trials", arguments.trials},
                {"goal", arguments.goal},
                {"rows", json_of(*results)}});
  else
    print_results(*results, arguments);
  return ExitCode::success;
}

}  // namespace

void add_eval_search(CLI::App& eval) {
  auto arguments = std::make_shared<EvalSearchArguments>();
  CLI::App& verb = *eval.add_subcommand(
      "search",
      "How soon searches under each cost model are as fast as one under another at its end");
  verb.add_option("--networks", arguments->networks,
                  "Which, with commas; those held out by default")
      ->delimiter(',');
  verb.add_option("--models", arguments->models, "Cost models, with commas; none draws at random")
      ->delimiter(',');
  verb.add_option("--goal", arguments->goal, "The cost model whose end is to be reached")
      ->capture_default_str();
  verb.add_option("--trials", arguments->trials, "Of each search")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--seeds", arguments->seeds, "Each search is done so many times")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--target", arguments->target,
                  "Whose instructions to use, on the cores and caches of this machine")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--weights", arguments->weights, "Where trained models are")->type_name("FOLDER");
  verb.add_option("--work", arguments->work, "Where runs are kept; those that are there are used")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb.add_option("--threads", arguments->threads, "Of the networks; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer("Example: tessera eval search --networks resnet50 --models mamba,prior --seeds 1");
  on_run(verb, [arguments] { return run_eval_search(*arguments); });
}

}  // namespace tessera
