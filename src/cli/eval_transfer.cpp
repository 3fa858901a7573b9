#include "base/cores.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/parallel_for.h"
#include "cli/eval.h"
#include "cli/interrupts.h"
#include "cli/seed_values.h"
#include "cli/verbs.h"
#include "learn/continual.h"
#include "record/json_fields.h"
#include "report/line_chart.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <tuple>

namespace tessera {
namespace {

struct EvalTransferArguments {
  std::string data = "data";
  std::string table;
  std::string work = "build/eval/transfer";
  std::vector<std::string> ways{continual_names().begin(), continual_names().end()};
  std::vector<double> shares{0.005, 0.01, 0.02, 0.05, 0.1};
  std::int64_t steps = DistilOptions().learning_steps;
  std::int64_t width = RankerShape().model_width;
  std::int64_t orders = 4;
  std::int64_t seeds = 5;
  std::int64_t threads = 0;
  std::string chart;
  bool is_json = false;
};

/// Numbers of platforms: as they are, the other way round, then drawn by lot.
std::vector<std::size_t> order_of(std::size_t platforms, std::int64_t number) {
  std::vector<std::size_t> order(platforms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (number == 1) std::ranges::reverse(order);
  Rng rng(static_cast<std::uint64_t>(number));
  for (std::size_t n = platforms; number > 1 && n > 1; --n)
    std::swap(order[n - 1],
              order[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(n)))]);
  return order;
}

/// One way of learning, on platforms in one order.
struct Run {
  TransferMatrix matrix;
  std::vector<double> last_by_share;  // top-1 of the last platform, by the share that is measured
  std::size_t model_bytes = 0;
  std::size_t kept_data_bytes = 0;
};

JsonFields::Json json_of(const Run& run) {
  return {{"untrained", run.matrix.untrained}, {"top1", run.matrix.top1},
          {"seconds", run.matrix.seconds},     {"last_by_share", run.last_by_share},
          {"model_bytes", run.model_bytes},    {"kept_data_bytes", run.kept_data_bytes}};
}

Result<Run> parse_run(const std::string& text) {
  const nlohmann::ordered_json json = parse_json(text);
  try {
    Run run;
    run.matrix.untrained = json.at("untrained").get<std::vector<double>>();
    run.matrix.top1 = json.at("top1").get<std::vector<std::vector<double>>>();
    run.matrix.seconds = json.at("seconds").get<std::vector<double>>();
    run.last_by_share = json.at("last_by_share").get<std::vector<double>>();
    run.model_bytes = json.at("model_bytes").get<std::size_t>();
    run.kept_data_bytes = json.at("kept_data_bytes").get<std::size_t>();
    return run;
  } catch (const nlohmann::json::exception& problem) {
    return Error{std::string("not a run: ") + problem.what()};
  }
}

RankerShape shape_for(const std::vector<Platform>& platforms, std::int64_t model_width) {
  RankerShape shape{.kind = "mamba",
                    .width = platforms.front().pool.front().rows.width,
                    .model_width = model_width};
  for (const Platform& platform : platforms) {
    const std::vector<float> scales = scales_of(platform.pool);
    shape.scales.resize(scales.size());
    std::ranges::transform(scales, shape.scales, shape.scales.begin(),
                           [](float a, float b) { return std::max(a, b); });
  }
  return shape;
}

/// What is measured of platforms: the same for all ways and orders, so it is picked once.
class KnownPicks {
 public:
  /// Threads may ask at once.
  const Measured& of(const Platform& platform, double share, std::uint64_t seed) {
    Pick& pick = known(platform.name, share, seed);
    std::call_once(pick.once, [&] { pick.measured = pick_measured(platform, share, seed); });
    return pick.measured;
  }

 private:
  struct Pick {
    std::once_flag once;
    Measured measured;
  };
  Pick& known(const std::string& platform, double share, std::uint64_t seed) {
    const std::scoped_lock lock(mutex_);
    return picks_[{platform, share, seed}];  // a map's nodes stay where they are
  }

  std::mutex mutex_;
  std::map<std::tuple<std::string, double, std::uint64_t>, Pick> picks_;
};

class Evaluation {
 public:
  Evaluation(const EvalTransferArguments& arguments, std::vector<Platform> platforms,
             std::string name, std::function<bool()> is_stopped)
      : arguments_(arguments),
        platforms_(std::move(platforms)),
        name_(std::move(name)),
        shape_(shape_for(platforms_, arguments.width)),
        is_stopped_(std::move(is_stopped)) {}

  const std::vector<Platform>& platforms() const { return platforms_; }

  /// Runs are kept: another call goes on where this one ended.
  Result<Run> run_of(const std::string& way, std::int64_t order, std::uint64_t seed) const {
    const std::string path =
        fmt::format("{}/{}-{}-{}-{}-{}-{}-{}.json", arguments_.work, name_, way, order, seed,
                    arguments_.steps, arguments_.width, fmt::join(arguments_.shares, "-"));
    if (std::filesystem::exists(path)) {
      const Result<std::string> text = read_file(path);
      if (!text) return text.error();
      Result<Run> known = parse_run(*text);
      if (!known) return Error{path + ": " + known.error().message};
      return known;
    }
    if (is_stopped_()) return Error{"stopped"};  // before programs are picked, which takes long
    Result<Run> run = learned(way, order_of(platforms_.size(), order), seed);
    if (!run) return Error{way + ": " + run.error().message};
    if (const auto written = write_file(path, json_of(*run).dump(1) + "\n"); !written)
      return written.error();
    fmt::print(stderr, "{} order {} seed {}: average {:.4f}, forgetting {:.4f}\n", way, order, seed,
               run->matrix.average(), run->matrix.forgetting());
    return run;
  }

 private:
  DistilOptions options(std::uint64_t seed) const {
    return {.learning_steps = arguments_.steps,
            .distilling_steps = 2 * arguments_.steps,
            .seed = seed,
            .is_stopped = is_stopped_};
  }

  Result<Run> learned(const std::string& way, const std::vector<std::size_t>& order,
                      std::uint64_t seed) const {
    std::vector<const Platform*> platforms;
    std::vector<Measured> measured;
    for (const std::size_t n : order) {
      platforms.push_back(&platforms_[n]);
      measured.push_back(picks_.of(platforms_[n], arguments_.shares.back(), seed));
    }
    Result<std::unique_ptr<ContinualLearner>> learner = make_continual(way, shape_, options(seed));
    if (!learner) return learner.error();
    std::unique_ptr<ContinualLearner> before_last;
    Result<TransferMatrix> matrix =
        learn_in_turn(**learner, platforms, measured, [&](std::size_t n) {
          if (n + 1 == platforms.size()) before_last = (*learner)->clone();
        });
    if (!matrix) return matrix.error();
    Run run{.matrix = *std::move(matrix),
            .last_by_share = {},
            .model_bytes = (*learner)->model_bytes(),
            .kept_data_bytes = (*learner)->kept_data_bytes()};
    for (const double share : arguments_.shares) {
      if (share == arguments_.shares.back()) {  // as it was learned in its turn
        run.last_by_share.push_back(run.matrix.top1.back().back());
        break;
      }
      const std::unique_ptr<ContinualLearner> again = before_last->clone();
      const auto done = again->learn(*platforms.back(), picks_.of(*platforms.back(), share, seed));
      if (!done) return done.error();
      run.last_by_share.push_back(platforms.back()->judge(again->scores()).top1.mean);
    }
    return run;
  }

  const EvalTransferArguments& arguments_;
  std::vector<Platform> platforms_;
  std::string name_;
  RankerShape shape_;
  std::function<bool()> is_stopped_;
  mutable KnownPicks picks_;
};

/// The runs of each way, in all orders and with all seeds, each on one thread: that learns more a
/// second than all threads on one.
Result<std::vector<std::vector<Run>>> runs_of_ways(const Evaluation& evaluation,
                                                   const EvalTransferArguments& arguments) {
  const auto seeds = static_cast<std::size_t>(arguments.seeds);
  const std::size_t of_way = static_cast<std::size_t>(arguments.orders) * seeds;
  std::vector<Result<Run>> runs(arguments.ways.size() * of_way, Error{"not begun"});
  parallel_for(runs.size(), static_cast<std::size_t>(arguments.threads), [&](std::size_t n) {
    const std::size_t number = n % of_way;
    runs[n] = evaluation.run_of(arguments.ways[n / of_way],
                                static_cast<std::int64_t>(number / seeds), number % seeds + 1);
  });
  std::vector<std::vector<Run>> by_way(arguments.ways.size());
  for (std::size_t n = 0; n < runs.size(); ++n) {
    if (!runs[n]) return runs[n].error();
    by_way[n / of_way].push_back(*std::move(runs[n]));
  }
  return by_way;
}

/// What a way reached over orders and seeds.
struct TransferRow {
  std::string way;
  SeedValues average, backward, forward, forgetting, seconds;
  std::vector<SeedValues> last_by_share;
  std::vector<std::vector<double>> top1;  // the matrix in the first order, the mean over seeds
  std::size_t model_bytes = 0;
  std::size_t kept_data_bytes = 0;
};

/// Of runs in the same order.
std::vector<std::vector<double>> mean_top1(std::span<const Run> runs) {
  std::vector<std::vector<double>> mean = runs.front().matrix.top1;
  for (std::size_t learned = 0; learned < mean.size(); ++learned)
    for (std::size_t platform = 0; platform < mean.size(); ++platform) {
      SeedValues values;
      for (const Run& run : runs) values.values.push_back(run.matrix.top1[learned][platform]);
      mean[learned][platform] = values.mean();
    }
  return mean;
}

/// Runs of the first order are the first.
TransferRow row_of(const std::string& way, const std::vector<Run>& runs, std::size_t seeds) {
  TransferRow row;
  row.way = way;
  row.top1 = mean_top1(std::span(runs).first(seeds));
  for (const Run& run : runs) {
    row.average.values.push_back(run.matrix.average());
    row.backward.values.push_back(run.matrix.backward_transfer());
    row.forward.values.push_back(run.matrix.forward_transfer());
    row.forgetting.values.push_back(run.matrix.forgetting());
    row.seconds.values.push_back(
        std::accumulate(run.matrix.seconds.begin(), run.matrix.seconds.end(), 0.0));
    row.last_by_share.resize(run.last_by_share.size());
    for (std::size_t n = 0; n < run.last_by_share.size(); ++n)
      row.last_by_share[n].values.push_back(run.last_by_share[n]);
    row.model_bytes = std::max(row.model_bytes, run.model_bytes);
    row.kept_data_bytes = std::max(row.kept_data_bytes, run.kept_data_bytes);
  }
  return row;
}

/// What is reached on each platform after each that was learned.
void print_matrices(const std::vector<TransferRow>& rows, const std::vector<std::string>& names) {
  fmt::print("\ntop-1 in the first order, the mean over seeds\n{:10} {:12}", "way", "learned");
  for (const std::string& name : names) fmt::print(" {:>12}", name);
  fmt::print("\n");
  for (const TransferRow& row : rows)
    for (std::size_t learned = 0; learned < row.top1.size(); ++learned) {
      fmt::print("{:10} {:12}", row.way, names[learned]);
      for (const double top1 : row.top1[learned]) fmt::print(" {:12.4f}", top1);
      fmt::print("\n");
    }
}

void print_rows(const std::vector<TransferRow>& rows, const std::vector<double>& shares) {
  fmt::print("{:10} {:>16} {:>9} {:>9} {:>16}", "way", "average top-1", "backward", "forward",
             "forgetting");
  for (const double share : shares) fmt::print(" {:>14}", fmt::format("new {:g} %", 100 * share));
  fmt::print(" {:>10} {:>10} {:>8}\n", "model B", "kept B", "seconds");
  for (const TransferRow& row : rows) {
    fmt::print("{:10} {:.4f} +- {:.4f} {:9.4f} {:9.4f} {:7.4f} +- {:.4f}", row.way,
               row.average.mean(), row.average.deviation(), row.backward.mean(), row.forward.mean(),
               row.forgetting.mean(), row.forgetting.deviation());
    for (const SeedValues& one : row.last_by_share)
      fmt::print(" {:.3f} +- {:.3f}", one.mean(), one.deviation());
    fmt::print(" {:10} {:10} {:8.0f}\n", row.model_bytes, row.kept_data_bytes, row.seconds.mean());
  }
}

nlohmann::ordered_json json_of(const TransferRow& row, const std::vector<Run>& runs,
                               std::size_t seeds) {
  nlohmann::ordered_json shares = nlohmann::ordered_json::array(),
                         all = nlohmann::ordered_json::array();
  for (const SeedValues& one : row.last_by_share) shares.push_back(json_of(one));
  for (std::size_t n = 0; n < runs.size(); ++n) {
    all.push_back(json_of(runs[n]));
    all.back()["order"] =
        order_of(runs[n].matrix.top1.size(), static_cast<std::int64_t>(n / seeds));
    all.back()["seed"] = n % seeds + 1;
  }
  return {{"way", row.way},
          {"average", json_of(row.average)},
          {"backward_transfer", json_of(row.backward)},
          {"forward_transfer", json_of(row.forward)},
          {"forgetting", json_of(row.forgetting)},
          {"new_platform", shares},
          {"model_bytes", row.model_bytes},
          {"kept_data_bytes", row.kept_data_bytes},
          {"seconds", json_of(row.seconds)},
          {"runs", all}};
}

LineChart chart_of(const std::vector<TransferRow>& rows, const std::vector<double>& shares) {
  LineChart chart{.title = "Top-1 on a new platform, by the share of its programs that is measured",
                  .x_name = "per cent of the programs",
                  .y_name = "top-1",
                  .lines = {}};
  for (const TransferRow& row : rows) {
    LineChart::Line& line = chart.lines.emplace_back(row.way);
    for (std::size_t n = 0; n < shares.size(); ++n)
      line.points.emplace_back(100 * shares[n], row.last_by_share[n].mean());
  }
  return chart;
}

Result<void> eval_transfer(const EvalTransferArguments& arguments) {
  std::error_code problem;
  std::filesystem::create_directories(arguments.work, problem);
  if (problem) return Error{arguments.work + ": " + problem.message()};
  const Interrupts interrupts;
  Dataset data;
  Result<std::vector<Platform>> platforms = std::vector<Platform>();
  std::string name;  // of what is learned from
  if (arguments.table.empty()) {
    Result<Dataset> read = read_dataset(arguments.data);
    if (!read) return read.error();
    data = *std::move(read);
    name = data.fingerprint.substr(0, 8);
    platforms = platforms_of(data, static_cast<std::size_t>(arguments.threads));
  } else {
    const Result<std::string> text = read_file(arguments.table);
    if (!text) return text.error();
    name = "table-" + to_text(fingerprint(*text)).substr(0, 8);
    platforms = read_platform_table(arguments.table, 1);
  }
  if (!platforms) return platforms.error();
  if (platforms->size() < 2) return Error{"one platform alone: nothing to carry over"};
  const Evaluation evaluation(arguments, *std::move(platforms), name,
                              [&] { return interrupts.has_come(); });
  const Result<std::vector<std::vector<Run>>> runs = runs_of_ways(evaluation, arguments);
  if (!runs) return runs.error();
  const auto seeds = static_cast<std::size_t>(arguments.seeds);
  std::vector<TransferRow> rows;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (std::size_t n = 0; n < arguments.ways.size(); ++n) {
    rows.push_back(row_of(arguments.ways[n], (*runs)[n], seeds));
    json.push_back(json_of(rows.back(), (*runs)[n], seeds));
  }
  if (!arguments.chart.empty())
    if (const auto written =
            write_file(arguments.chart, svg_file(chart_of(rows, arguments.shares)));
        !written)
      return written.error();
  std::vector<std::string> names;
  for (const Platform& platform : evaluation.platforms())
    names.emplace_back(arguments.table.empty() ? preset_of(platform.name) : platform.name);
  if (arguments.is_json) {
    print_json({{"platforms", names}, {"shares", arguments.shares}, {"rows", json}});
  } else {
    print_rows(rows, arguments.shares);
    print_matrices(rows, names);
  }
  return {};
}

int run_eval_transfer(EvalTransferArguments arguments) {
  if (arguments.threads == 0) arguments.threads = usable_cores();
  const Result<void> done = eval_transfer(arguments);
  return done ? ExitCode::success : refuse(done.error());
}

}  // namespace

void add_eval_transfer(CLI::App& eval) {
  auto arguments = std::make_shared<EvalTransferArguments>();
  CLI::App& verb = *eval.add_subcommand(
      "transfer", "What is kept of former platforms, and carried to new ones, by ways of learning");
  verb.add_option("--data", arguments->data, "What tessera collect wrote: its targets in turn")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb.add_option("--table", arguments->table,
                  "Devices of a table instead: columns of parameters, then time_ms:DEVICE")
      ->type_name("CSV");
  verb.add_option("--ways", arguments->ways, "Of learning, with commas")->delimiter(',');
  verb.add_option("--orders", arguments->orders,
                  "Of platforms: as they are, the other way round, then drawn by lot")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--shares", arguments->shares,
                  "Of a new platform's programs that are measured, with commas; the last of each")
      ->delimiter(',')
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  verb.add_option("--width", arguments->width, "Of the mamba that learns; half is much faster")
      ->check(CLI::Range(8, 1024))
      ->capture_default_str();
  verb.add_option("--steps", arguments->steps,
                  "Of learning each platform; of distilling it twice as many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--seeds", arguments->seeds, "Each order is gone through so many times")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--work", arguments->work, "Where results are kept; those there are used")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb.add_option("--threads", arguments->threads, "By default all")->check(CLI::Range(1, 1024));
  verb.add_option("--svg", arguments->chart, "Draws what new platforms reach")->type_name("FILE");
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer("Example: tessera eval transfer --data data --ways distil,fine-tune --seeds 1");
  on_run(verb, [arguments] { return run_eval_transfer(*arguments); });
}

}  // namespace tessera
