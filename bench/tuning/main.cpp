/// How many candidates does the tuner measure in a second?
///
/// Every task of a network gets some rounds as `tessera tune` would give them: sampled, compiled,
/// run, compared with the plain loops, learned from. Nothing is recorded.

#include "base/stopwatch.h"
#include "extract/tasks.h"
#include "measure/measurer.h"
#include "package/build.h"
#include "search/sampler.h"
#include "zoo/zoo.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::bench {
namespace {

struct Options {
  std::string network = "resnet50";
  std::int64_t threads = 0;
  int rounds = 4;
  std::string json;
};

struct Row {
  std::string title;
  std::int64_t calls = 0;
  std::int64_t candidates = 0;
  std::int64_t failed = 0;
  double sample_seconds = 0;
  double measure_seconds = 0;
  double compile_seconds = 0;  // of all candidates, on all cores
  double default_seconds = 0;
  double best_seconds = 0;

  double rate() const {
    return static_cast<double>(candidates) / (sample_seconds + measure_seconds);
  }
};

double seconds_of(const auto& act) {
  const Stopwatch stopwatch;
  act();
  return stopwatch.seconds();
}

Row measure_task(TaskSearch& search, std::size_t n, int rounds, Measurer& measurer,
                 const Sampler& sampler, CostModel& model) {
  constexpr std::size_t round_size = 16;
  Row row;
  Rng rng(1);
  for (int round = 0; round <= rounds; ++round) {
    std::vector<Candidate> candidates;
    row.sample_seconds += seconds_of([&] {
      if (round == 0)
        candidates = {{search.untuned(), "default"}};
      else
        candidates = sampler.sample(search, model, round_size, rng);
    });
    if (candidates.empty()) break;
    std::vector<std::string> schedules;
    for (const Candidate& candidate : candidates)
      schedules.push_back(to_text(candidate.chain.draft.schedule));
    std::vector<Measurement> measured;
    row.measure_seconds +=
        seconds_of([&] { measured = *measurer.measure(n, schedules, search.best_seconds()); });
    std::vector<Lesson> lessons;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      row.failed += measured[k].is_ok() ? 0 : 1;
      row.compile_seconds += measured[k].compile_seconds;
      search.add(candidates[k], measured[k]);
      if (measured[k].is_ok() && search.untuned_seconds())
        lessons.push_back({&search.task(), candidates[k].chain,
                           std::log(*search.untuned_seconds() / measured[k].best())});
    }
    row.sample_seconds += seconds_of([&] { model.learn(std::move(lessons)); });
    row.candidates += std::ssize(candidates);
  }
  row.default_seconds = search.untuned_seconds().value_or(0);
  row.best_seconds = search.best_seconds();
  return row;
}

void print(const std::vector<Row>& rows, double median) {
  fmt::print("{:40} {:>5} {:>10} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>6}\n", "task", "calls",
             "candidates", "failed", "per s", "sample s", "measure s", "compile s", "default us",
             "gain");
  for (const Row& row : rows)
    fmt::print("{:40.40} {:5} {:10} {:6} {:8.1f} {:9.2f} {:9.2f} {:9.2f} {:9.1f} {:6.2f}\n",
               row.title, row.calls, row.candidates, row.failed, row.rate(), row.sample_seconds,
               row.measure_seconds, row.compile_seconds, 1e6 * row.default_seconds,
               row.default_seconds / row.best_seconds);
  fmt::print("median over tasks: {:.1f} candidates per second\n", median);
}

nlohmann::ordered_json document_of(const Options& options, const std::vector<Row>& rows,
                                   double median) {
  nlohmann::ordered_json document = {{"network", options.network},
                                     {"threads", options.threads},
                                     {"median_candidates_per_second", median},
                                     {"rows", nlohmann::ordered_json::array()}};
  for (const Row& row : rows)
    document["rows"].push_back({{"task", row.title},
                                {"calls", row.calls},
                                {"candidates", row.candidates},
                                {"failed", row.failed},
                                {"candidates_per_second", row.rate()},
                                {"sample_seconds", row.sample_seconds},
                                {"measure_seconds", row.measure_seconds},
                                {"compile_seconds", row.compile_seconds},
                                {"default_seconds", row.default_seconds},
                                {"best_seconds", row.best_seconds}});
  return document;
}

int run(const Options& options) {
  Target target = detect_host();
  if (options.threads > 0) target.cores = options.threads;
  Result<Graph> graph = zoo_graph(options.network);
  PriorDrafts drafts;
  Result<Network> network =
      graph ? extract_network(*std::move(graph), target, drafts) : Result<Network>(graph.error());
  if (!network) {
    fmt::print(stderr, "tuning: {}\n", network.error().message);
    return 2;
  }
  const std::vector<NetworkTask> tasks = tasks_of(*network, target);
  std::vector<Task> plain;
  for (const NetworkTask& one : tasks) plain.push_back(one.task);
  const auto backend = llvm_backend();
  Measurer measurer(plain, *backend, {.threads = target.cores});
  const auto sampler = evolve_sampler();
  const auto model = gbdt_model(1);
  std::vector<Row> rows;
  std::vector<double> rates;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    TaskSearch search(tasks[n].task);
    Row row = measure_task(search, n, options.rounds, measurer, *sampler, *model);
    row.title = network->calls[tasks[n].calls.front()].title;
    row.calls = std::ssize(tasks[n].calls);
    rates.push_back(row.rate());
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rates);
  const double median = rates[rates.size() / 2];
  print(rows, median);
  if (options.json.empty()) return 0;
  std::FILE* file = std::fopen(options.json.c_str(), "w");
  if (file == nullptr) {
    fmt::print(stderr, "tuning: {}: cannot be written\n", options.json);
    return 2;
  }
  fmt::print(file, "{}\n", document_of(options, rows, median).dump(2));
  return std::fclose(file) == 0 ? 0 : 2;
}

}  // namespace
}  // namespace tessera::bench

int main(int count, char** arguments) {
  tessera::bench::Options options;
  CLI::App program("How many candidates does the tuner measure in a second?", "bench/run tuning");
  program.add_option("--network", options.network, "A network of the zoo")->capture_default_str();
  program.add_option("--threads", options.threads, "That candidates run on; by default all");
  program.add_option("--rounds", options.rounds, "Of 16 candidates for each task")
      ->capture_default_str();
  program.add_option("--json", options.json, "Writes the rows to a file")->type_name("FILE");
  CLI11_PARSE(program, count, arguments);
  return tessera::bench::run(options);
}
