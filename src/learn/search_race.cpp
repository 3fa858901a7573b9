#include "learn/search_race.h"

#include "base/check.h"
#include "base/child.h"
#include "base/temporary_folder.h"
#include "package/build.h"
#include "search/tuner.h"

#include <algorithm>

namespace tessera {
namespace {

/// What a child writes: a run, or a refusal behind this word.
constexpr std::string_view refusal_word = "refused: ";

Result<TuningRun> search_here(const RaceEntry& entry, const Target& target,
                              const std::string& version) {
  const auto known = std::ranges::find(corpus(), entry.network, &CorpusNetwork::name);
  if (known == corpus().end()) return Error{entry.network + ": no network of the corpus"};
  Result<Graph> graph = corpus_graph(*known);
  if (!graph) return graph.error();
  PriorDrafts drafts;
  const Result<Network> network = extract_network(*std::move(graph), target, drafts);
  if (!network) return network.error();
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  Result<RecordStore> store = RecordStore::open((folder->path() / "store.db").string());
  if (!store) return store.error();
  const std::unique_ptr<Backend> backend = llvm_backend();
  const bool is_ranked = entry.cost_model != "none";
  TuneOptions options;
  options.budget_seconds = 0;
  options.budget_trials = entry.trials;
  options.sampler = is_ranked ? "evolve" : "random";
  options.cost_model = is_ranked ? entry.cost_model : "prior";
  options.weights_folder = entry.weights_folder;
  options.seed = entry.seed;
  options.measure.threads = target.cores;
  options.version = version;
  TuningRun facts;
  facts.model = entry.network;
  facts.target = to_text(target);
  facts.threads = target.cores;
  facts.sampler = options.sampler;
  facts.cost_model = entry.cost_model;
  facts.seed = entry.seed;
  facts.budget_trials = entry.trials;
  facts.version = version;
  Result<Tuner> tuner = Tuner::make(*network, target, *backend, *store, facts, options);
  if (!tuner) return tuner.error();
  if (const auto done = tuner->tune(); !done) return done.error();
  return tuner->run();
}

double median_of(std::vector<double> values) {
  check(!values.empty(), "values");
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

template <typename Value>
double median_over(const std::vector<TuningRun>& runs, const Value& value) {
  std::vector<double> values;
  for (const TuningRun& run : runs) values.push_back(value(run));
  return median_of(std::move(values));
}

}  // namespace

Result<TuningRun> search_alone(const RaceEntry& entry, const Target& target,
                               const std::string& version) {
  const std::string text = in_child([&] {
    const Result<TuningRun> run = search_here(entry, target, version);
    return run ? to_json(*run) : std::string(refusal_word) + run.error().message;
  });
  if (text.starts_with(refusal_word)) return Error{text.substr(refusal_word.size())};
  Result<TuningRun> run = parse_tuning_run(text);
  if (!run) return Error{entry.network + ": the search of " + entry.cost_model + " has died"};
  return run;
}

std::optional<TuningRun::Point> first_within(const TuningRun& run, double network_seconds) {
  const auto found = std::ranges::find_if(run.curve, [&](const TuningRun::Point& point) {
    return point.network_seconds <= network_seconds;
  });
  if (found == run.curve.end()) return std::nullopt;
  return *found;
}

RaceResult compare_runs(const std::vector<TuningRun>& runs, const std::vector<TuningRun>& others) {
  const auto final_seconds = [](const TuningRun& run) { return run.curve.back().network_seconds; };
  RaceResult result{.network = runs.front().model,
                    .cost_model = runs.front().cost_model,
                    .final_seconds = median_over(runs, final_seconds),
                    .goal_seconds = median_over(others, final_seconds),
                    .runs = runs.size()};
  result.goal_run_seconds =
      median_over(others, [](const TuningRun& run) { return run.curve.back().elapsed_seconds; });
  std::vector<double> trials, seconds;
  for (const TuningRun& run : runs)
    if (const auto point = first_within(run, result.goal_seconds)) {
      trials.push_back(static_cast<double>(point->trials));
      seconds.push_back(point->elapsed_seconds);
    }
  result.reached = trials.size();
  if (2 * result.reached > result.runs) {
    result.trials_to_goal = median_of(std::move(trials));
    result.seconds_to_goal = median_of(std::move(seconds));
  }
  return result;
}

}  // namespace tessera
