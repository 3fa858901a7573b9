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
#include <functional>
#include <map>
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

/// Traces are kept: another call goes on where this one ended.
Result<SearchTrace> trace_of(const RaceEntry& entry, const Target& target,
                             const std::string& work) {
  const Result<std::string> weights = weights_name(entry);
  if (!weights) return weights.error();
  const std::string path = fmt::format("{}/{}-{}-{}-{}-{}.json", work, target.name, entry.network,
                                       *weights, entry.seed, entry.trials);
  if (std::filesystem::exists(path)) {
    const Result<std::string> text = read_file(path);
    if (!text) return text.error();
    Result<SearchTrace> known = parse_search_trace(*text);
    if (!known) return Error{path + ": " + known.error().message};
    return known;
  }
  Result<SearchTrace> trace = search_alone(entry, target, std::string(build_info.version));
  if (!trace) return trace;
  if (const auto written = write_file(path, to_json(*trace)); !written) return written.error();
  fmt::print(stderr, "{} {} seed {}: {} trials in {:.0f} s\n", entry.network, entry.cost_model,
             entry.seed, trace->trials, trace->elapsed_seconds);
  return trace;
}

/// The searches of one network, seed by seed with all models by turns.
Result<std::vector<RaceResult>> race(const EvalSearchArguments& arguments, const Target& target,
                                     const std::string& network) {
  std::vector<std::string> models = arguments.models;
  if (std::ranges::find(models, arguments.goal) == models.end()) models.push_back(arguments.goal);
  std::vector<SearchTrace> traces;
  for (std::int64_t seed = 1; seed <= arguments.seeds; ++seed)
    for (const std::string& model : models) {
      Result<SearchTrace> trace = trace_of({.network = network,
                                            .cost_model = model,
                                            .seed = static_cast<std::uint64_t>(seed),
                                            .trials = arguments.trials,
                                            .weights_folder = arguments.weights},
                                           target, arguments.work);
      if (!trace) return Error{network + ", " + model + ": " + trace.error().message};
      traces.push_back(*std::move(trace));
    }
  const Result<ScheduleTimes> times = time_by_turns(network, target, traces);
  if (!times) return times.error();
  fmt::print(stderr, "{}: {} schedules timed by turns\n", network, times->size());
  std::map<std::string, std::vector<SearchCurve>> curves;
  for (std::size_t n = 0; n < traces.size(); ++n)
    curves[models[n % models.size()]].push_back(curve_of(traces[n], *times));
  std::vector<RaceResult> results;
  for (const std::string& model : arguments.models) {
    results.push_back(compare_searches(curves.at(model), curves.at(arguments.goal)));
    results.back().network = network;
    results.back().cost_model = model;
  }
  return results;
}

Result<std::vector<RaceResult>> eval_search(const EvalSearchArguments& arguments) {
  const Result<Target> target = host_target(arguments.target, arguments.threads);
  if (!target) return target.error();
  std::error_code problem;
  std::filesystem::create_directories(arguments.work, problem);
  if (problem) return Error{arguments.work + ": " + problem.message()};
  std::vector<RaceResult> results;
  for (const std::string& network : arguments.networks) {
    const Result<std::vector<RaceResult>> of_network = race(arguments, *target, network);
    if (!of_network) return of_network.error();
    results.insert(results.end(), of_network->begin(), of_network->end());
  }
  return results;
}

/// How many times sooner than the other ended its trials the goal was reached.
std::optional<double> ratio_of(const RaceResult& result, const std::optional<double>& seconds) {
  if (!seconds) return std::nullopt;
  return result.other_elapsed_seconds / *seconds;
}

/// A geometric mean over networks, as far as they have a value.
struct Geomean {
  double ratio = 1;
  int networks = 0;
};

Geomean geomean_of(const std::vector<RaceResult>& results, const std::string& model,
                   const std::function<std::optional<double>(const RaceResult&)>& ratio_of) {
  double logarithms = 0;
  int networks = 0;
  for (const RaceResult& one : results) {
    if (one.cost_model != model) continue;
    const std::optional<double> ratio = ratio_of(one);
    if (!ratio) continue;
    logarithms += std::log(*ratio);
    ++networks;
  }
  return {.ratio = std::exp(logarithms / std::max(networks, 1)), .networks = networks};
}

std::string sooner(const std::vector<RaceResult>& results, const std::string& model,
                   GoalReached RaceResult::* goal) {
  const Geomean mean = geomean_of(
      results, model, [&](const RaceResult& one) { return ratio_of(one, (one.*goal).seconds); });
  if (mean.networks == 0) return "reached on none";
  return fmt::format("reached on {}, {:.2f} times sooner", mean.networks, mean.ratio);
}

/// The same for each seed by itself, over the networks on which it came there.
std::string sooner_by_seed(const std::vector<RaceResult>& results, const std::string& model,
                           std::size_t seeds) {
  std::string text;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const Geomean mean = geomean_of(results, model, [&](const RaceResult& one) {
      return ratio_of(one, one.goal.seconds_of_runs[seed]);
    });
    text += text.empty() ? "" : ", ";
    text += mean.networks == 0 ? std::string("none")
                               : fmt::format("{:.2f} ({} networks)", mean.ratio, mean.networks);
  }
  return text;
}

/// Over the networks that were compared after so many trials.
std::string faster_after(const std::vector<RaceResult>& results, const std::string& model) {
  std::string text;
  for (const std::int64_t trials : equal_trials) {
    const Geomean mean =
        geomean_of(results, model, [&](const RaceResult& one) -> std::optional<double> {
          const auto ratio = one.faster_after.find(trials);
          if (ratio == one.faster_after.end()) return std::nullopt;
          return ratio->second;
        });
    if (mean.networks > 0)
      text += fmt::format("{}{} {:.3f} ({} networks)", text.empty() ? "" : ", ", trials, mean.ratio,
                          mean.networks);
  }
  return text;
}

void print_results(const std::vector<RaceResult>& results, const EvalSearchArguments& arguments) {
  fmt::print("{:14} {:12} {:>9} {:>9} | {:>7} {:>7} {:>8} {:>6} | {:>7} {:>7} {:>8} {:>6}\n",
             "network", "cost model", "final ms", "goal ms", "reached", "trials", "seconds",
             "ratio", "within 1%", "trials", "seconds", "ratio");
  const auto number = [](const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : std::string("-");
  };
  for (const RaceResult& one : results) {
    const auto columns = [&](const GoalReached& goal) {
      return fmt::format("{:>2} of {} {:>7} {:>8} {:>6}", goal.runs, one.runs,
                         number(goal.trials, 0), number(goal.seconds, 1),
                         number(ratio_of(one, goal.seconds), 1));
    };
    fmt::print("{:14} {:12} {:9.3f} {:9.3f} | {} | {}\n", one.network, one.cost_model,
               1e3 * one.final_seconds, 1e3 * one.other_final_seconds, columns(one.goal),
               columns(one.nearly));
  }
  fmt::print("ratio: seconds of all trials of {} over seconds to where it ends; -: not reached\n",
             arguments.goal);
  for (const std::string& model : arguments.models) {
    const Geomean faster = geomean_of(results, model, [](const RaceResult& one) {
      return std::optional(one.other_final_seconds / one.final_seconds);
    });
    fmt::print("{}: {:.3f} times as fast at the end of {} networks; goal {}; nearly {}\n", model,
               faster.ratio, faster.networks, sooner(results, model, &RaceResult::goal),
               sooner(results, model, &RaceResult::nearly));
    fmt::print("{}: goal by seed: {}\n", model,
               sooner_by_seed(results, model, static_cast<std::size_t>(arguments.seeds)));
    fmt::print("{}: as fast as {} after as many trials: {}\n", model, arguments.goal,
               faster_after(results, model));
  }
}

nlohmann::ordered_json json_of(const std::vector<RaceResult>& results) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const auto optional = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  for (const RaceResult& one : results) {
    const auto reached = [&](const GoalReached& goal) {
      nlohmann::ordered_json ratios = nlohmann::ordered_json::array();
      for (const std::optional<double>& seconds : goal.seconds_of_runs)
        ratios.push_back(optional(ratio_of(one, seconds)));
      return nlohmann::ordered_json{{"runs", goal.runs},
                                    {"trials", optional(goal.trials)},
                                    {"seconds", optional(goal.seconds)},
                                    {"ratio", optional(ratio_of(one, goal.seconds))},
                                    {"ratios_of_runs", ratios}};
    };
    nlohmann::ordered_json faster = nlohmann::ordered_json::object();
    for (const auto& [trials, ratio] : one.faster_after) faster[std::to_string(trials)] = ratio;
    all.push_back({{"network", one.network},
                   {"cost_model", one.cost_model},
                   {"runs", one.runs},
                   {"final_ms", 1e3 * one.final_seconds},
                   {"goal_ms", 1e3 * one.other_final_seconds},
                   {"goal_run_seconds", one.other_elapsed_seconds},
                   {"goal", reached(one.goal)},
                   {"within_one_per_cent", reached(one.nearly)},
                   {"faster_after_trials", faster}});
  }
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
