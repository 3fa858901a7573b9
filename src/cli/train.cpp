#include "base/cores.h"
#include "base/unfinished_file.h"
#include "cli/interrupts.h"
#include "cli/status_line.h"
#include "cli/verbs.h"
#include "learn/teach_further.h"
#include "learn/teach_model.h"
#include "model/trained_model.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace tessera {
namespace {

struct TrainArguments {
  Lecture lecture;
  std::string data = "data";
  std::string from;  // what is to learn further; none: learns from nothing
  double share = 1;  // of the programs, when it learns further
  std::int64_t distilling_steps = thorough().distilling_steps;
  std::string output;
  std::int64_t threads = 0;
  bool is_json = false;

  int used_threads() const { return static_cast<int>(threads > 0 ? threads : usable_cores()); }
};

Result<Taught> train(const TrainArguments& arguments) {
  if (const auto writable = UnfinishedFile::make(arguments.output); !writable)
    return writable.error();
  const Result<Dataset> data = read_dataset(arguments.data);
  if (!data) return data.error();
  const Interrupts interrupts;
  Lecture lecture = arguments.lecture;
  lecture.threads = arguments.used_threads();
  lecture.options.is_stopped = [&] { return interrupts.has_come(); };
  const Result<EncodedDataset> encoded = encode_for(lecture, *data);
  if (!encoded) return encoded.error();
  return teach_model(lecture, *encoded, arguments.output, [](const TrainingProgress& state) {
    fmt::print(stderr,
               "epoch {}: loss {:.4f}, quality {:.4f}, best {:.4f} of epoch {}, {:.0f} programs "
               "per second\n",
               state.epoch, state.loss, state.quality, state.best_quality, state.best_epoch,
               static_cast<double>(state.programs) / state.seconds);
  });
}

int run_train(const TrainArguments& arguments) {
  const Result<Taught> taught = train(arguments);
  if (!taught) return refuse(taught.error());
  const TrainingProgress& state = taught->progress;
  const std::string& kind = arguments.lecture.shape.kind;
  if (arguments.is_json)
    print_json({{"model", kind},
                {"weights", arguments.output},
                {"parameters", taught->parameters},
                {"lists", taught->lists},
                {"programs", taught->programs},
                {"epochs", state.epoch},
                {"best_epoch", state.best_epoch},
                {"validation_quality", state.best_quality},
                {"learning_seconds", state.seconds},
                {"programs_learned", state.programs},
                {"seconds", taught->seconds}});
  else
    fmt::print("{}: {} has learned from {} programs of {} lists in {:.0f} s\n", arguments.output,
               kind, taught->programs, taught->lists, taught->seconds);
  return ExitCode::success;
}

/// What came of learning further.
struct Further {
  KnowledgeBase base;
  double seconds = 0;
};

Result<Further> train_further(const TrainArguments& arguments) {
  const Stopwatch stopwatch;
  if (arguments.lecture.shape.kind != "mamba")
    return Error{"--from: of mamba alone, not of " + arguments.lecture.shape.kind};
  if (const auto writable = UnfinishedFile::make(arguments.output); !writable)
    return writable.error();
  Result<KnowledgeBase> base = read_knowledge_base(arguments.from);
  if (!base) return base.error();
  const Result<Dataset> data = read_dataset(arguments.data);
  if (!data) return data.error();
  const Interrupts interrupts;
  const std::uint64_t seed = arguments.lecture.options.seed;
  FurtherLecture lecture{
      .targets = arguments.lecture.targets, .share = arguments.share, .distil = thorough()};
  lecture.distil.distilling_steps = arguments.distilling_steps;
  lecture.distil.seed = seed;
  lecture.distil.threads = arguments.used_threads();
  lecture.distil.is_stopped = [&] { return interrupts.has_come(); };
  StatusLine status("train");
  base = teach_further(*std::move(base), *data, lecture,
                       [&](std::string_view target, std::string_view doing, double done) {
                         status.show(fmt::format("{}, {} {:.0f} %", target, doing, 100 * done));
                       });
  if (!base) return base.error();
  const TrainedRanker written =
      to_trained(*base, {{"data", data->fingerprint},
                         {"seed", std::to_string(seed)},
                         {"share", fmt::format("{:g}", arguments.share)}});
  if (const auto done = write_trained_ranker(arguments.output, written); !done) return done.error();
  return Further{.base = *std::move(base), .seconds = stopwatch.seconds()};
}

int run_train_further(const TrainArguments& arguments) {
  const Result<Further> further = train_further(arguments);
  if (!further) return refuse(further.error());
  std::vector<std::string> known;
  for (const KnownPlatform& one : further->base.known) known.push_back(one.name);
  if (arguments.is_json)
    print_json({{"model", "mamba"},
                {"weights", arguments.output},
                {"known", known},
                {"share", arguments.share},
                {"seconds", further->seconds}});
  else
    fmt::print("{}: mamba has learned {} beside what it knew, in {:.0f} s\n", arguments.output,
               fmt::join(arguments.lecture.targets, ", "), further->seconds);
  return ExitCode::success;
}

}  // namespace

void add_train(CLI::App& program) {
  auto arguments = std::make_shared<TrainArguments>();
  RankerShape& shape = arguments->lecture.shape;
  TrainingOptions& options = arguments->lecture.options;
  CLI::App& verb = *program.add_subcommand("train", "Teach a cost model from a data set");
  verb.add_option("--model", shape.kind, "Which")
      ->check(CLI::IsMember({"mamba", "tlp", "tenset-mlp", "gbdt"}))
      ->capture_default_str();
  verb.add_option("--data", arguments->data, "What tessera collect wrote")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb.add_option("-o,--output", arguments->output,
                  "The weights to write; by default MODEL with its ending")
      ->type_name("FILE");
  CLI::Option* const targets =
      verb.add_option("--target", arguments->lecture.targets, "Learn of these targets alone")
          ->type_name("NAME");
  CLI::Option* const from =
      verb.add_option("--from", arguments->from,
                      "A mamba that learns these targets, too, one after the other, and keeps what "
                      "it knows of others without their data")
          ->type_name("FILE")
          ->needs(targets);
  verb.add_option("--share", arguments->share, "Of the programs, with --from: rdu picks them")
      ->check(CLI::Range(0.001, 1.0))
      ->needs(from)
      ->capture_default_str();
  verb.add_option("--distilling-steps", arguments->distilling_steps,
                  "With --from, each with programs of all targets known")
      ->check(CLI::PositiveNumber)
      ->needs(from)
      ->capture_default_str();
  verb.add_option("--seed", options.seed, "Of all randomness")->capture_default_str();
  verb.add_option("--epochs", options.epochs,
                  "At most; by default 16 of mamba, 6 of tlp, 30 of tenset-mlp")
      ->check(CLI::PositiveNumber);
  verb.add_option("--patience", options.patience, "Epochs without gain before it ends")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--rate", options.learning_rate, "Of learning, at first")->capture_default_str();
  verb.add_option("--width", shape.model_width, "Of mamba's vectors")->capture_default_str();
  verb.add_option("--expand", shape.expand, "Of mamba's channels")->capture_default_str();
  verb.add_option("--states", shape.states, "Of each channel of mamba")->capture_default_str();
  verb.add_option("--convolution", shape.convolution, "Steps that mamba's convolution sees")
      ->capture_default_str();
  verb.add_option("--blocks", shape.blocks, "Of mamba")->capture_default_str();
  verb.add_option("--read-out", shape.read_out, "Of mamba's steps: sum, mean or last")
      ->capture_default_str();
  verb.add_option("--estimate-weight", shape.estimate_weight,
                  "Of what the prior estimates, which neural models correct; 0: they only see it")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  verb.add_option("--threads", arguments->threads, "That learn; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer(
      "Example: tessera train --model mamba --data data -o mamba.safetensors\n"
      "Interrupt it and run it again: it goes on.");
  on_run(verb, [arguments] {
    const std::string& kind = arguments->lecture.shape.kind;
    if (arguments->output.empty()) arguments->output = file_of_trained(kind);
    return arguments->from.empty() ? run_train(*arguments) : run_train_further(*arguments);
  });
}

}  // namespace tessera
