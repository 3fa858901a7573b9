/// How many candidates does the tuner measure in a second?
///
/// Every task of a network gets some rounds as `tessera tune` would give them: sampled, compiled,
/// run, compared with the plain loops, recorded, learned from. The records go with the program.

#include "base/stopwatch.h"
#include "base/temporary_folder.h"
#include "extract/tasks.h"
#include "package/build.h"
#include "search/explorer.h"
#include "zoo/zoo.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

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
  double seconds = 0;
  double compile_seconds = 0;  // of all candidates, on all cores
  double default_seconds = 0;
  double best_seconds = 0;

  double rate() const { return static_cast<double>(candidates) / seconds; }
};

Result<Row> measure_task(Explorer& explorer, std::size_t task, int rounds, const Sampler& sampler) {
  constexpr std::size_t round_size = 16;
  Row row;
  for (int round = 0; round <= rounds; ++round) {
    const Stopwatch stopwatch;
    const Result<std::vector<Measurement>> measured =
        round == 0 ? explorer.measure_default(task) : explorer.round(task, sampler, round_size);
    if (!measured) return measured.error();
    if (measured->empty()) break;
    row.seconds += stopwatch.seconds();
    row.candidates += std::ssize(*measured);
    for (const Measurement& one : *measured) {
      row.failed += one.is_ok() ? 0 : 1;
      row.compile_seconds += one.compile_seconds;
    }
  }
  row.default_seconds = explorer.search(task).untuned_seconds().value_or(0);
  row.best_seconds = explorer.search(task).best_seconds();
  return row;
}

void print(const std::vector<Row>& rows, double median) {
  fmt::print("{:40} {:>5} {:>10} {:>6} {:>8} {:>9} {:>9} {:>9} {:>6}\n", "task", "calls",
             "candidates", "failed", "per s", "seconds", "compile s", "default us", "gain");
  for (const Row& row : rows)
    fmt::print("{:40.40} {:5} {:10} {:6} {:8.1f} {:9.2f} {:9.2f} {:9.1f} {:6.2f}\n", row.title,
               row.calls, row.candidates, row.failed, row.rate(), row.seconds, row.compile_seconds,
               1e6 * row.default_seconds, row.default_seconds / row.best_seconds);
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
                                {"seconds", row.seconds},
                                {"compile_seconds", row.compile_seconds},
                                {"default_seconds", row.default_seconds},
                                {"best_seconds", row.best_seconds}});
  return document;
}

int refused(const Error& error) {
  fmt::print(stderr, "tuning: {}\n", error.message);
  return 2;
}

int run(const Options& options) {
  Target target = detect_host();
  if (options.threads > 0) target.cores = options.threads;
  Result<Graph> graph = zoo_graph(options.network);
  PriorDrafts drafts;
  Result<Network> network =
      graph ? extract_network(*std::move(graph), target, drafts) : Result<Network>(graph.error());
  if (!network) return refused(network.error());
  const std::vector<NetworkTask> tasks = tasks_of(*network, target);
  std::vector<Task> plain;
  for (const NetworkTask& one : tasks) plain.push_back(one.task);
  const auto backend = llvm_backend();
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return refused(folder.error());
  Result<RecordStore> store = RecordStore::open((folder->path() / "store.db").string());
  if (!store) return refused(store.error());
  Result<Explorer> explorer =
      Explorer::make(plain, *backend, *store, {.measure = {.threads = target.cores}});
  if (!explorer) return refused(explorer.error());
  const auto sampler = evolve_sampler();
  std::vector<Row> rows;
  std::vector<double> rates;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    Result<Row> row = measure_task(*explorer, n, options.rounds, *sampler);
    if (!row) return refused(row.error());
    row->title = network->calls[tasks[n].calls.front()].title;
    row->calls = std::ssize(tasks[n].calls);
    rates.push_back(row->rate());
    rows.push_back(*std::move(row));
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
