#include "base/cores.h"
#include "base/file.h"
#include "base/parallel_for.h"
#include "cli/eval.h"
#include "cli/interrupts.h"
#include "cli/seed_values.h"
#include "cli/verbs.h"
#include "learn/active.h"
#include "record/json_fields.h"
#include "report/line_chart.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

namespace tessera {
namespace {

struct EvalSamplerArguments {
  std::string data = "data";
  std::string work = "build/eval/sampler";
  std::vector<std::string> pickers{picker_names().begin(), picker_names().end()};
  std::vector<std::string> held_out;
  std::vector<std::string> targets;              // names; none: all
  std::vector<double> budgets{1, 2, 5, 10, 20};  // per cent
  std::int64_t steps = ActiveOptions().steps;
  std::int64_t width = ActiveOptions().model_width;
  std::int64_t seeds = 5;
  std::int64_t threads = 0;
  std::string chart;
  bool has_ablations = false;
  bool is_json = false;
};

/// A way of picking that is judged.
struct Way {
  std::string name;
  std::shared_ptr<const Picker> picker;
  bool learns_between = true;
};

Result<std::vector<Way>> ways_of(const EvalSamplerArguments& arguments) {
  std::vector<Way> ways;
  for (const std::string& name : arguments.pickers) {
    Result<std::unique_ptr<Picker>> picker = make_picker(name);
    if (!picker) return picker.error();
    ways.push_back({.name = name, .picker = *std::move(picker)});
  }
  if (!arguments.has_ablations) return ways;
  const auto add = [&](const char* name, RduParts parts, bool learns_between = true) {
    ways.push_back({name, rdu_picker(parts), learns_between});
  };
  add("rdu R", {.is_diverse = false, .is_uncertain = false});
  add("rdu D", {.is_representative = false, .is_uncertain = false});
  add("rdu U", {.is_representative = false, .is_diverse = false});
  add("rdu RD", {.is_uncertain = false});
  add("rdu RU", {.is_diverse = false});
  add("rdu DU", {.is_representative = false});
  add("rdu unbiased", {.is_biased = false});
  add("rdu at once", {}, false);
  return ways;
}

/// What one way reached with one budget.
struct Reached {
  double budget = 0;
  double top1 = 0, top1_of_tasks = 0, top5 = 0, pairs = 0;
  double best_inside = 0;
  double measured_seconds = 0;
};

std::string to_json(const std::vector<Reached>& rounds) {
  JsonFields::Json all = JsonFields::Json::array();
  for (const Reached& one : rounds)
    all.push_back({{"budget", one.budget},
                   {"top1", one.top1},
                   {"top1_of_tasks", one.top1_of_tasks},
                   {"top5", one.top5},
                   {"pairs", one.pairs},
                   {"best_inside", one.best_inside},
                   {"measured_seconds", one.measured_seconds}});
  return JsonFields::Json{{"rounds", all}}.dump(1) + "\n";
}

Result<std::vector<Reached>> parse_rounds(const std::string& text) {
  JsonFields fields{std::string_view(text)};
  std::vector<Reached> rounds;
  for (const JsonFields::Json& object : fields.objects("rounds")) {
    JsonFields one(object);
    rounds.push_back({.budget = one.number("budget"),
                      .top1 = one.number("top1"),
                      .top1_of_tasks = one.number("top1_of_tasks"),
                      .top5 = one.number("top5"),
                      .pairs = one.number("pairs"),
                      .best_inside = one.number("best_inside"),
                      .measured_seconds = one.number("measured_seconds")});
    if (const std::optional<Error> refusal = one.refusal()) return *refusal;
  }
  if (const std::optional<Error> refusal = fields.refusal()) return *refusal;
  return rounds;
}

/// Curves are kept: another call goes on where this one ended.
Result<std::vector<Reached>> curve_of(const Way& way, const TargetPrograms& programs,
                                      const ActiveOptions& options, const Dataset& data,
                                      const std::string& work) {
  const std::string target(preset_of(programs.target));
  std::string name = fmt::format("{}-{}-{}-{}-{}-{}-{:g}", data.fingerprint.substr(0, 8), target,
                                 way.name, options.seed, options.steps, options.model_width,
                                 fmt::join(options.budgets, "-"));
  std::ranges::replace(name, ' ', '_');
  const std::string path = work + "/" + name + ".json";
  if (std::filesystem::exists(path)) {
    const Result<std::string> text = read_file(path);
    if (!text) return text.error();
    Result<std::vector<Reached>> known = parse_rounds(*text);
    if (!known) return Error{path + ": " + known.error().message};
    return known;
  }
  if (options.is_stopped())
    return Error{"stopped"};  // before programs are picked, which takes long
  ActiveOptions of_way = options;
  of_way.learns_between = way.learns_between;
  const Result<std::vector<ActiveRound>> rounds = learn_actively(programs, *way.picker, of_way);
  if (!rounds) return rounds.error();
  std::vector<Reached> reached;
  for (const ActiveRound& round : *rounds)
    reached.push_back({.budget = round.budget,
                       .top1 = round.ranking.top1.mean,
                       .top1_of_tasks = round.ranking.top1_of_tasks,
                       .top5 = round.ranking.top5.mean,
                       .pairs = round.ranking.pairs,
                       .best_inside = round.best_inside,
                       .measured_seconds = round.measured_seconds});
  if (const auto written = write_file(path, to_json(reached)); !written) return written.error();
  std::string line = fmt::format("{} {} seed {}:", target, way.name, options.seed);
  for (const Reached& one : reached)
    line += fmt::format(" {:g}% {:.3f}", 100 * one.budget, one.top1);
  fmt::print(stderr, "{}\n", line);
  return reached;
}

/// Under a curve over the logarithm of the budget, beside that of 1.
double area_under(const std::vector<Reached>& rounds, double Reached::* value) {
  double area = 0, width = 0;
  for (std::size_t n = 1; n < rounds.size(); ++n) {
    const double step = std::log(rounds[n].budget / rounds[n - 1].budget);
    area += step * (rounds[n].*value + rounds[n - 1].*value) / 2;
    width += step;
  }
  return width > 0 ? area / width : 0;
}

/// What a way reached over targets and seeds.
struct SamplerRow {
  std::string way;
  std::vector<double> budgets;
  std::vector<SeedValues> top1, top5, pairs;  // of each budget; a value is the mean over targets
  std::vector<SeedValues> best_inside, seconds_share;
  SeedValues area, area_of_tasks;                    // of top-1 of networks, and of tasks
  std::map<std::string, SeedValues> area_by_target;  // of top-1 of networks
  /// The smallest budget with 99 % of the top-1 that all data give, in the mean over targets and
  /// seeds.
  std::optional<double> enough;
};

struct Judged {
  std::vector<SamplerRow> rows;
  SeedValues full_top1;                                   // with all data
  std::map<std::string, SeedValues> full_top1_by_target;  // likewise
};

SamplerRow row_of(const Way& way, const ActiveOptions& options, std::int64_t seeds) {
  const std::vector<SeedValues> none(options.budgets.size(),
                                     {std::vector<double>(static_cast<std::size_t>(seeds))});
  return {.way = way.name,
          .budgets = options.budgets,
          .top1 = none,
          .top5 = none,
          .pairs = none,
          .best_inside = none,
          .seconds_share = none,
          .area = none.front(),
          .area_of_tasks = none.front(),
          .area_by_target = {},
          .enough = std::nullopt};
}

/// What a way is to be gone with, and what came of it.
struct Curve {
  const Way* way;
  ActiveOptions options;
  Result<std::vector<Reached>> rounds = Error{"not begun"};
};

/// All curves of one target, each on one thread: that learns more a second than all threads on one.
Result<void> run_curves(std::vector<Curve>& curves, const std::string& target, const Dataset& data,
                        const EvalSamplerArguments& arguments) {
  const Result<TargetPrograms> programs =
      programs_of(data, target, static_cast<int>(arguments.threads));
  if (!programs) return programs.error();
  parallel_for(curves.size(), static_cast<std::size_t>(arguments.threads), [&](std::size_t n) {
    Curve& curve = curves[n];
    curve.rounds = curve_of(*curve.way, *programs, curve.options, data, arguments.work);
  });
  for (const Curve& curve : curves)
    if (!curve.rounds) return curve.rounds.error();
  return {};
}

Result<ActiveOptions> options_of(const EvalSamplerArguments& arguments) {
  ActiveOptions options;
  options.steps = arguments.steps;
  options.model_width = arguments.width;
  options.budgets.clear();
  for (const double per_cent : arguments.budgets) options.budgets.push_back(per_cent / 100);
  if (!std::ranges::is_sorted(options.budgets)) return Error{"budgets: expected ascending ones"};
  return options;
}

/// Those of the data that have such a name; without names all.
Result<std::set<std::string>> targets_of(const Dataset& data,
                                         const std::vector<std::string>& names) {
  std::set<std::string> targets;
  for (const std::string& target : data.targets())
    if (names.empty() || std::ranges::find(names, preset_of(target)) != names.end())
      targets.insert(target);
  if (targets.empty()) return Error{fmt::format("no target {}", fmt::join(names, ", "))};
  return targets;
}

Result<Judged> eval_sampler(const EvalSamplerArguments& arguments) {
  Result<Dataset> data = read_dataset(arguments.data);
  if (data && !arguments.held_out.empty())
    data = with_held_out(*std::move(data), arguments.held_out);
  if (!data) return data.error();
  const Result<std::vector<Way>> ways = ways_of(arguments);
  if (!ways) return ways.error();
  Result<ActiveOptions> options = options_of(arguments);
  if (!options) return options.error();
  std::error_code problem;
  std::filesystem::create_directories(arguments.work, problem);
  if (problem) return Error{arguments.work + ": " + problem.message()};
  const Interrupts interrupts;
  options->is_stopped = [&] { return interrupts.has_come(); };
  const Way full{.name = "full", .picker = *make_picker("random"), .learns_between = false};

  const Result<std::set<std::string>> asked = targets_of(*data, arguments.targets);
  if (!asked) return asked.error();
  const std::set<std::string>& targets = *asked;
  const auto share = 1 / static_cast<double>(targets.size());
  const auto seeds = static_cast<std::size_t>(arguments.seeds);
  Judged judged;
  for (const Way& way : *ways) judged.rows.push_back(row_of(way, *options, arguments.seeds));
  judged.full_top1.values.resize(seeds);
  for (const std::string& target : targets) {
    std::vector<Curve> curves;  // of each seed that of all data, then the ways'
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      options->seed = seed + 1;
      curves.push_back({.way = &full, .options = *options});
      curves.back().options.budgets = {1};
      for (const Way& way : *ways) curves.push_back({.way = &way, .options = *options});
    }
    if (const auto done = run_curves(curves, target, *data, arguments); !done) return done.error();
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const Curve* const of_seed = &curves[seed * (1 + ways->size())];
      const Reached& best = of_seed->rounds->front();
      judged.full_top1.values[seed] += share * best.top1;
      judged.full_top1_by_target[std::string(preset_of(target))].values.push_back(best.top1);
      for (std::size_t n = 0; n < ways->size(); ++n) {
        const std::vector<Reached>& rounds = *of_seed[1 + n].rounds;
        SamplerRow& row = judged.rows[n];
        const double area = area_under(rounds, &Reached::top1);
        row.area.values[seed] += share * area;
        row.area_by_target[std::string(preset_of(target))].values.push_back(area);
        row.area_of_tasks.values[seed] += share * area_under(rounds, &Reached::top1_of_tasks);
        for (std::size_t k = 0; k < rounds.size(); ++k) {
          const Reached& one = rounds[k];
          row.top1[k].values[seed] += share * one.top1;
          row.top5[k].values[seed] += share * one.top5;
          row.pairs[k].values[seed] += share * one.pairs;
          row.best_inside[k].values[seed] += share * one.best_inside;
          row.seconds_share[k].values[seed] += share * one.measured_seconds / best.measured_seconds;
        }
      }
    }
  }
  for (SamplerRow& row : judged.rows)
    for (std::size_t k = row.budgets.size(); k-- > 0;)
      if (row.top1[k].mean() >= 0.99 * judged.full_top1.mean()) row.enough = row.budgets[k];
  return judged;
}

void print_rows(const Judged& judged) {
  fmt::print("top-1 with all data {:.4f} +- {:.4f}\n", judged.full_top1.mean(),
             judged.full_top1.deviation());
  fmt::print("{:14} {:>16} {:>16}", "picks", "area", "area of tasks");
  for (const double budget : judged.rows.front().budgets)
    fmt::print(" {:>14}", fmt::format("top-1 {:g} %", 100 * budget));
  fmt::print(" {:>9} {:>8} {:>8} {:>8} {:>8}\n", "99 % at", "top-5", "pairs", "inside", "seconds");
  for (const SamplerRow& row : judged.rows) {
    fmt::print("{:14} {:.4f} +- {:.4f} {:.4f} +- {:.4f}", row.way, row.area.mean(),
               row.area.deviation(), row.area_of_tasks.mean(), row.area_of_tasks.deviation());
    for (const SeedValues& one : row.top1)
      fmt::print(" {:.3f} +- {:.3f}", one.mean(), one.deviation());
    fmt::print(" {:>9} {:8.4f} {:8.4f} {:8.4f} {:8.4f}\n",
               row.enough ? fmt::format("{:g} %", 100 * *row.enough) : std::string("no budget"),
               row.top5.back().mean(), row.pairs.back().mean(), row.best_inside.back().mean(),
               row.seconds_share.back().mean());
  }
  fmt::print("top-5, pairs, the best inside and the share of seconds are of the last budget\n");
  fmt::print("\n{:15}", "area by target");
  for (const auto& [target, unused] : judged.full_top1_by_target) fmt::print(" {:>16}", target);
  fmt::print("\n");
  const auto print_targets = [](const std::string& name,
                                const std::map<std::string, SeedValues>& by_target) {
    fmt::print("{:15}", name);
    for (const auto& [target, one] : by_target)
      fmt::print(" {:.4f} +- {:.4f}", one.mean(), one.deviation());
    fmt::print("\n");
  };
  for (const SamplerRow& row : judged.rows) print_targets(row.way, row.area_by_target);
  print_targets("top-1, all data", judged.full_top1_by_target);
}

nlohmann::ordered_json json_of(const std::map<std::string, SeedValues>& by_target) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const auto& [target, one] : by_target) all[target] = json_of(one);
  return all;
}

nlohmann::ordered_json json_of(const Judged& judged) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SamplerRow& row : judged.rows) {
    nlohmann::ordered_json budgets = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < row.budgets.size(); ++k)
      budgets.push_back({{"budget", row.budgets[k]},
                         {"top1", json_of(row.top1[k])},
                         {"top5", json_of(row.top5[k])},
                         {"pairs", json_of(row.pairs[k])},
                         {"best_inside", json_of(row.best_inside[k])},
                         {"seconds_share", json_of(row.seconds_share[k])}});
    rows.push_back(
        {{"picks", row.way},
         {"area", json_of(row.area)},
         {"area_of_tasks", json_of(row.area_of_tasks)},
         {"area_by_target", json_of(row.area_by_target)},
         {"enough", row.enough ? nlohmann::ordered_json(*row.enough) : nlohmann::ordered_json()},
         {"budgets", budgets}});
  }
  return {{"full_top1", json_of(judged.full_top1)},
          {"full_top1_by_target", json_of(judged.full_top1_by_target)},
          {"rows", rows}};
}

LineChart chart_of(const Judged& judged) {
  LineChart chart{.title = "Top-1 on networks held out, by the share of programs that is measured",
                  .x_name = "per cent of the programs",
                  .y_name = "top-1",
                  .lines = {}};
  for (const SamplerRow& row : judged.rows) {
    LineChart::Line& line = chart.lines.emplace_back(row.way);
    for (std::size_t k = 0; k < row.budgets.size(); ++k)
      line.points.emplace_back(100 * row.budgets[k], row.top1[k].mean());
  }
  return chart;
}

int run_eval_sampler(EvalSamplerArguments arguments) {
  if (arguments.threads == 0) arguments.threads = usable_cores();
  const Result<Judged> judged = eval_sampler(arguments);
  if (!judged) return refuse(judged.error());
  if (!arguments.chart.empty())
    if (const auto written = write_file(arguments.chart, svg_file(chart_of(*judged))); !written)
      return refuse(written.error());
  if (arguments.is_json)
    print_json(json_of(*judged));
  else
    print_rows(*judged);
  return ExitCode::success;
}

}  // namespace

void add_eval_sampler(CLI::App& eval) {
  auto arguments = std::make_shared<EvalSamplerArguments>();
  CLI::App& verb = *eval.add_subcommand(
      "sampler", "How much is learned from some of the programs, by the ways of picking them");
  verb.add_option("--data", arguments->data, "What tessera collect wrote")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb.add_option("--pickers", arguments->pickers, "Which, with commas")->delimiter(',');
  verb.add_flag("--ablations", arguments->has_ablations,
                "Also rdu with some of its parts, without its bias, and without learning between");
  verb.add_option("--budgets", arguments->budgets,
                  "Per cent of the programs that are measured, ascending, with commas")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 100.0))
      ->capture_default_str();
  verb.add_option("--width", arguments->width, "Of the mamba that learns; half is much faster")
      ->check(CLI::Range(8, 1024))
      ->capture_default_str();
  verb.add_option("--steps", arguments->steps, "Of learning after each budget")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--seeds", arguments->seeds, "Each way is gone so many times")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--held-out", arguments->held_out,
                  "Networks to judge by, with commas, in the place of those that are always held "
                  "out: for choosing between ways of picking")
      ->delimiter(',');
  verb.add_option("--target", arguments->targets, "Of these alone")->type_name("NAME");
  verb.add_option("--work", arguments->work, "Where results are kept; those there are used")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb.add_option("--threads", arguments->threads, "By default all")->check(CLI::Range(1, 1024));
  verb.add_option("--svg", arguments->chart, "Draws the curves")->type_name("FILE");
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer("Example: tessera eval sampler --data data --pickers rdu,stratified --seeds 2");
  on_run(verb, [arguments] { return run_eval_sampler(*arguments); });
}

}  // namespace tessera
