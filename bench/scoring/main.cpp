/// How many schedules does a trained cost model score in a second, from schedule to score?
///
/// Schedules are drawn from the Space of a convolution and of a matrix product, as a search would
/// have them: of one task, many at once. `mamba` encodes tokens and is computed without LibTorch;
/// `tenset-mlp` applies each schedule, extracts statements and is computed by LibTorch. Weights are
/// random: they do not matter for speed.

#include "base/cores.h"
#include "base/stopwatch.h"
#include "model/mamba.h"
#include "ops/tasks.h"
#include "schedule/space.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace tessera::bench {
namespace {

struct Options {
  std::size_t programs = 2048;
  int threads = 0;
  int rounds = 5;
  std::string json;
};

constexpr const char* specs[] = {"conv2d:c=64,h=56,w=56,o=64,k=3,p=1,epilogue=bias+relu",
                                 "matmul:m=128,n=768,k=768,epilogue=bias+gelu"};

struct Row {
  std::string task;
  std::string model;
  double encoded_per_second = 0;
  double scored_per_second = 0;  // with encoding
};

double best_seconds(int rounds, const std::function<void()>& act) {
  double best = 1e9;
  for (int n = 0; n < rounds; ++n) {
    const Stopwatch stopwatch;
    act();
    best = std::min(best, stopwatch.seconds());
  }
  return best;
}

int refused(const Error& error) {
  fmt::print(stderr, "scoring: {}\n", error.message);
  return 2;
}

int run(Options options) {
  if (options.threads == 0) options.threads = static_cast<int>(usable_cores());
  const auto threads = static_cast<std::size_t>(options.threads);
  std::vector<Row> rows;
  fmt::print("{:58} {:12} {:>12} {:>12}\n", "task", "model", "encoded/s", "scored/s");
  for (const char* spec : specs) {
    const Task task{*parse_task_spec(spec), *parse_target("x86-avx2 cores=2")};
    const Space space(task);
    Rng rng(1);
    std::vector<Draft> drawn;
    for (std::size_t n = 0; n < options.programs; ++n) drawn.push_back(draw(space, rng).draft);
    const Estimate best = best_by_prior(space).draft.estimate;
    std::vector<EstimatedSchedule> schedules;
    for (const Draft& draft : drawn)
      schedules.push_back({&draft.schedule, relative_estimate(draft.estimate, best)});
    for (const char* kind : {"mamba", "tenset-mlp"}) {
      const Encoding encoding = encoding_of(kind);
      const RankerShape shape{.kind = kind, .width = width_of(encoding)};
      const Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, 1, options.threads);
      if (!ranker) return refused(ranker.error());
      std::function<void(const Rows&)> score = [&](const Rows& all) {
        (void)(*ranker)->score(all);
      };
      std::optional<Mamba> mamba;
      if (encoding == Encoding::Tokens) {
        Result<Mamba> made = Mamba::make({.shape = shape, .weights = (*ranker)->weights()});
        if (!made) return refused(made.error());
        mamba = *std::move(made);
        score = [&](const Rows& all) { (void)mamba->score(all, threads); };
      }
      const ScheduleEncoder encoder(task, encoding);
      const auto count = static_cast<double>(schedules.size());
      Row row{.task = spec, .model = kind};
      row.encoded_per_second =
          count / best_seconds(options.rounds, [&] { (void)encoder.encode(schedules, threads); });
      row.scored_per_second =
          count / best_seconds(options.rounds, [&] { score(*encoder.encode(schedules, threads)); });
      fmt::print("{:58.58} {:12} {:12.0f} {:12.0f}\n", row.task, row.model, row.encoded_per_second,
                 row.scored_per_second);
      rows.push_back(row);
    }
    const Row &ours = rows[rows.size() - 2], &theirs = rows.back();
    fmt::print("{:58.58} mamba / tenset-mlp {:.1f}\n", spec,
               ours.scored_per_second / theirs.scored_per_second);
  }
  if (options.json.empty()) return 0;
  nlohmann::ordered_json document = {{"threads", options.threads},
                                     {"programs", options.programs},
                                     {"rows", nlohmann::ordered_json::array()}};
  for (const Row& row : rows)
    document["rows"].push_back({{"task", row.task},
                                {"model", row.model},
                                {"encoded_per_second", row.encoded_per_second},
                                {"scored_per_second", row.scored_per_second}});
  std::FILE* file = std::fopen(options.json.c_str(), "w");
  if (file == nullptr) return refused({options.json + ": cannot be written"});
  fmt::print(file, "{}\n", document.dump(2));
  return std::fclose(file) == 0 ? 0 : 2;
}

}  // namespace
}  // namespace tessera::bench

int main(int count, char** arguments) {
  tessera::bench::Options options;
  CLI::App program(
      "How many schedules does a cost model score in a second, from schedule to score?",
      "bench/run scoring");
  program.add_option("--programs", options.programs, "Scored at once")->capture_default_str();
  program.add_option("--threads", options.threads, "That score; by default all");
  program.add_option("--rounds", options.rounds, "Of which the fastest counts")
      ->capture_default_str();
  program.add_option("--json", options.json, "Writes the rows to a file")->type_name("FILE");
  CLI11_PARSE(program, count, arguments);
  return tessera::bench::run(options);
}
