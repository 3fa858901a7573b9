#include "base/cores.h"
#include "base/file.h"
#include "base/stopwatch.h"
#include "cli/eval.h"
#include "cli/interrupts.h"
#include "cli/seed_values.h"
#include "cli/verbs.h"
#include "learn/scorers.h"
#include "learn/teach_model.h"
#include "model/trained_ranker.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace tessera {
namespace {

struct EvalModelArguments {
  std::string data = "data";
  std::string work = "build/eval";
  std::vector<std::string> models;   // none: all, or the weights alone
  std::vector<std::string> weights;  // files
  std::int64_t seeds = 3;
  std::int64_t threads = 0;
  std::int64_t epochs = 0;  // 0: as many as train takes
  std::vector<std::string> held_out;
  bool has_ablations = false;
  bool is_json = false;
};

/// A model that is judged.
struct Design {
  std::string name;
  RankerShape shape;
  std::string weights = {};  // the file that has them; none: they are to be learned

  std::string file_name() const {
    if (name == shape.kind) return file_of_trained(name);
    std::string file = name + ".safetensors";
    std::ranges::replace(file, ' ', '-');
    return file;
  }
};

/// What else `mamba` could be, each one change away from what it is.
std::vector<Design> ablations() {
  std::vector<Design> designs;
  const auto vary = [&](const char* how, auto member, const auto&... values) {
    const auto add = [&](const auto& value) {
      Design& design = designs.emplace_back(fmt::format("mamba {} {}", how, value));
      design.shape.kind = "mamba";
      design.shape.*member = value;
    };
    (add(values), ...);
  };
  vary("convolution", &RankerShape::convolution, 2, 3);
  vary("expand", &RankerShape::expand, 1);
  vary("states", &RankerShape::states, 4, 8, 32);
  vary("blocks", &RankerShape::blocks, 2);
  vary("read-out", &RankerShape::read_out, "mean", "last");
  vary("estimate-weight", &RankerShape::estimate_weight, 0, 16, 32);
  return designs;
}

std::vector<std::string> all_models() {
  return {"mamba", "tlp", "tenset-mlp", "gbdt", "prior", "random"};
}

std::vector<std::string> model_names() {
  std::vector<std::string> names = all_models();
  for (const Design& design : ablations()) names.push_back(design.name);
  return names;
}

Result<std::vector<Design>> designs_of(const EvalModelArguments& arguments) {
  std::vector<Design> designs;
  for (const std::string& file : arguments.weights) {
    const Result<TrainedRanker> trained = read_trained_ranker(file);
    if (!trained) return trained.error();
    designs.push_back({.name = file, .shape = trained->shape, .weights = file});
  }
  const std::vector<Design> others = ablations();
  const bool is_usual = arguments.models.empty() && arguments.weights.empty();
  for (const std::string& model : is_usual ? all_models() : arguments.models) {
    const auto other = std::ranges::find(others, model, &Design::name);
    designs.push_back(other != others.end() ? *other : Design{model, {.kind = model}});
  }
  if (arguments.has_ablations) std::ranges::copy(others, std::back_inserter(designs));
  return designs;
}

/// What a model reached on a target.
struct ModelRow {
  std::string model;
  std::string target;
  SeedValues top1, top5, top1_pooled, top5_pooled, top1_of_tasks, pairs, programs_per_second,
      training_seconds;
  std::map<std::string, SeedValues> top1_of_networks;
  std::int64_t parameters = 0;
  std::size_t bytes = 0;
};

/// A model of one seed, that is to be judged.
struct Contender {
  Scorer scorer;
  std::int64_t parameters = 0;
  std::size_t bytes = 0;
  double training_seconds = 0;
};

/// Of each encoding, made when the first model asks for them.
using EncodedDatasets = std::map<Encoding, EncodedDataset>;

/// Learns the same with every seed.
bool is_settled(const Design& design) {
  return design.name == "prior" || design.name == "gbdt" || !design.weights.empty();
}

/// Trained weights of a model and a seed are made when they are not there.
Result<Contender> contender_for(const Design& design, std::uint64_t seed,
                                const EvalModelArguments& arguments, const Dataset& data,
                                EncodedDatasets& encoded, const std::function<bool()>& is_stopped) {
  if (design.name == "prior") return Contender{.scorer = prior_scorer()};
  if (design.name == "random") return Contender{.scorer = random_scorer(seed)};
  Contender contender;
  Lecture lecture;
  lecture.shape = design.shape;
  lecture.options.seed = seed;
  if (arguments.epochs > 0) lecture.options.epochs = arguments.epochs;
  lecture.options.is_stopped = is_stopped;
  lecture.threads = static_cast<int>(arguments.threads);
  const std::string path =
      !design.weights.empty()
          ? design.weights
          : fmt::format("{}/{}-{}-{}-{}", arguments.work, data.fingerprint.substr(0, 8), seed,
                        arguments.epochs > 0 ? std::to_string(arguments.epochs) : "usual",
                        design.file_name());
  const std::string seconds_path = path + ".seconds";  // how long learning took
  if (!std::filesystem::exists(path)) {
    const Encoding encoding = encoding_of(design.shape.kind);
    if (!encoded.contains(encoding)) {
      Result<EncodedDataset> made = encode_for(lecture, data);
      if (!made) return made.error();
      encoded.emplace(encoding, *std::move(made));
    }
    const Result<Taught> taught =
        teach_model(lecture, encoded.at(encoding), path, [&](const TrainingProgress& state) {
          fmt::print(stderr, "{} seed {}: epoch {}, quality {:.4f}\n", design.name, seed,
                     state.epoch, state.quality);
        });
    if (!taught) return taught.error();
    if (const auto written = write_file(seconds_path, std::to_string(taught->seconds)); !written)
      return written.error();
  }
  if (const Result<std::string> seconds = read_file(seconds_path))  // unknown after a break
    contender.training_seconds = std::strtod(seconds->c_str(), nullptr);
  Result<TrainedScores> scores = read_trained_scores(design.shape.kind, path, lecture.threads);
  if (!scores) return scores.error();
  contender.parameters = scores->parameters;
  contender.bytes = std::filesystem::file_size(path);
  contender.scorer = trained_scorer(*std::move(scores));
  return contender;
}

std::size_t judged_programs(const Dataset& data, const std::string& target) {
  std::size_t count = 0;
  for (const ScheduleList& list : data.lists)
    if (list.purpose == Purpose::HeldOut && to_text(list.task.target) == target)
      count += list.schedules.size();
  return count;
}

Result<std::vector<ModelRow>> eval_model(const EvalModelArguments& arguments) {
  Result<Dataset> data = read_dataset(arguments.data);
  if (data && !arguments.held_out.empty())
    data = with_held_out(*std::move(data), arguments.held_out);
  if (!data) return data.error();
  std::error_code problem;
  std::filesystem::create_directories(arguments.work, problem);
  if (problem) return Error{arguments.work + ": " + problem.message()};
  const Interrupts interrupts;
  std::map<std::pair<std::string, std::string>, ModelRow> rows;
  const Result<std::vector<Design>> designs = designs_of(arguments);
  if (!designs) return designs.error();
  EncodedDatasets encoded;
  for (const Design& design : *designs)
    for (std::int64_t seed = 1; seed <= arguments.seeds; ++seed) {
      if (is_settled(design) && seed > 1) continue;
      const Result<Contender> judged =
          contender_for(design, static_cast<std::uint64_t>(seed), arguments, *data, encoded,
                        [&] { return interrupts.has_come(); });
      if (!judged) return Error{design.name + ": " + judged.error().message};
      for (const std::string& target : data->targets()) {
        const Stopwatch stopwatch;
        const Ranking ranking = judge(*data, target, judged->scorer);
        const double seconds = stopwatch.seconds();
        ModelRow& row = rows[{design.name, target}];
        row.model = design.name;
        row.target = target;
        row.parameters = judged->parameters;
        row.bytes = judged->bytes;
        row.top1.values.push_back(ranking.top1.mean);
        row.top5.values.push_back(ranking.top5.mean);
        row.top1_pooled.values.push_back(ranking.top1.pooled);
        row.top5_pooled.values.push_back(ranking.top5.pooled);
        row.top1_of_tasks.values.push_back(ranking.top1_of_tasks);
        row.pairs.values.push_back(ranking.pairs);
        row.programs_per_second.values.push_back(
            static_cast<double>(judged_programs(*data, target)) / seconds);
        if (judged->training_seconds > 0)
          row.training_seconds.values.push_back(judged->training_seconds);
        for (const auto& [network, value] : ranking.top1.of_networks)
          row.top1_of_networks[network].values.push_back(value);
      }
    }
  std::vector<ModelRow> all;
  for (const Design& design : *designs)
    for (const std::string& target : data->targets()) all.push_back(rows[{design.name, target}]);
  return all;
}

void print_rows(const std::vector<ModelRow>& rows) {
  fmt::print("{:20} {:32} {:>15} {:>15} {:>8} {:>8} {:>8} {:>8} {:>10} {:>9} {:>10}\n", "model",
             "target", "top-1", "top-5", "pooled 1", "pooled 5", "tasks 1", "pairs", "parameters",
             "train s", "scored/s");
  for (const ModelRow& row : rows)
    fmt::print(
        "{:20} {:32.32} {:.4f} +- {:.4f} {:.4f} +- {:.4f} {:8.4f} {:8.4f} {:8.4f} {:8.4f} {:10} "
        "{:9.0f} {:10.0f}\n",
        row.model, row.target, row.top1.mean(), row.top1.deviation(), row.top5.mean(),
        row.top5.deviation(), row.top1_pooled.mean(), row.top5_pooled.mean(),
        row.top1_of_tasks.mean(), row.pairs.mean(), row.parameters, row.training_seconds.mean(),
        row.programs_per_second.mean());
}

nlohmann::ordered_json json_of(const std::vector<ModelRow>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ModelRow& row : rows) {
    nlohmann::ordered_json networks = nlohmann::ordered_json::object();
    for (const auto& [network, spread] : row.top1_of_networks) networks[network] = json_of(spread);
    all.push_back({{"model", row.model},
                   {"target", row.target},
                   {"top1", json_of(row.top1)},
                   {"top5", json_of(row.top5)},
                   {"top1_pooled", json_of(row.top1_pooled)},
                   {"top5_pooled", json_of(row.top5_pooled)},
                   {"top1_of_networks", networks},
                   {"top1_of_tasks", json_of(row.top1_of_tasks)},
                   {"pairs", json_of(row.pairs)},
                   {"parameters", row.parameters},
                   {"bytes", row.bytes},
                   {"training_seconds", json_of(row.training_seconds)},
                   {"programs_per_second", json_of(row.programs_per_second)}});
  }
  return all;
}

int run_eval_model(EvalModelArguments arguments) {
  if (arguments.threads == 0) arguments.threads = usable_cores();
  const Result<std::vector<ModelRow>> rows = eval_model(arguments);
  if (!rows) return refuse(rows.error());
  if (arguments.is_json)
    print_json({{"data", arguments.data}, {"rows", json_of(*rows)}});
  else
    print_rows(*rows);
  return ExitCode::success;
}

}  // namespace

void add_eval_model(CLI::App& eval) {
  auto arguments = std::make_shared<EvalModelArguments>();
  CLI::App& verb = *eval.add_subcommand(
      "model",
      "How well cost models rank the schedules of networks that they have not learned from");
  verb.add_option("--data", arguments->data, "What tessera collect wrote")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb.add_option("--models", arguments->models,
                  "Which, with commas; by default all, or the weights alone")
      ->delimiter(',')
      ->check(CLI::IsMember(model_names()));
  verb.add_option("--weights", arguments->weights,
                  "Weights of neural models that are judged as they are, with commas")
      ->delimiter(',')
      ->type_name("FILE");
  verb.add_option("--seeds", arguments->seeds, "Each model learns so many times")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--work", arguments->work,
                  "Where weights are kept; those that are there are used")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb.add_option("--epochs", arguments->epochs, "Of learning, at most")
      ->check(CLI::PositiveNumber);
  verb.add_option("--held-out", arguments->held_out,
                  "Networks to judge by, with commas, in the place of those that are always held "
                  "out: for choosing between ways of learning")
      ->delimiter(',');
  verb.add_flag("--ablations", arguments->has_ablations,
                "Also mamba with other convolutions, expansions, states, blocks and read-outs");
  verb.add_option("--threads", arguments->threads, "By default all")->check(CLI::Range(1, 1024));
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer("Example: tessera eval model --data data --models mamba,tlp --seeds 3");
  on_run(verb, [arguments] { return run_eval_model(*arguments); });
}

}  // namespace tessera
