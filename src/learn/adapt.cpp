#include "learn/adapt.h"

#include "model/mamba.h"
#include "pick/committee.h"
#include "pick/picker.h"
#include "search/explorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace tessera {
namespace {

constexpr double measuring_share = 0.65;  // of the budget
/// Of what is left after that, for learning and as much for distilling; the rest goes to scoring.
constexpr double learning_share = 0.4;
constexpr double least_learning_seconds = 5;
constexpr std::size_t heads = 4;
constexpr float failed_label = 1e-3F;  // of programs that do not run

/// The programs of one task: half of them near what the prior thinks best, half drawn.
std::vector<Space::Chain> programs_of(const TaskSearch& search, std::size_t count,
                                      std::uint64_t seed) {
  Rng rng(seed ^ fingerprint(search.task()).low);
  std::vector<Space::Chain> chains{search.untuned()};
  std::set<Choices> seen{search.untuned().choices};
  for (std::size_t tries = 0; chains.size() < count && tries < 4 * count; ++tries) {
    Space::Chain chain = search.untuned();
    if (tries % 2 == 0) {
      for (std::int64_t changes = rng.between(1, 3); changes > 0; --changes)
        chain = mutate(search.space(), chain, rng);
    } else {
      chain = draw(search.space(), rng);
    }
    if (seen.insert(chain.choices).second) chains.push_back(std::move(chain));
  }
  return chains;
}

class Adaptation {
 public:
  Adaptation(const KnowledgeBase& base, Explorer explorer, const AdaptOptions& options,
             const std::function<void(const AdaptProgress&)>& progress)
      : base_(base), explorer_(std::move(explorer)), options_(options), progress_(progress) {}

  Result<Adapted> run() {
    if (const auto made = make_pool(); !made) return made.error();
    const double measuring = measuring_share * options_.budget_seconds;
    for (bool is_first = true; is_first || options_.since.seconds() < measuring; is_first = false) {
      if (is_stopped()) return stopped();
      const Result<std::size_t> picked = round(options_.since.seconds() / measuring);
      if (!picked) return picked.error();
      if (*picked == 0) break;  // all has been measured
    }
    report("learning");
    const Platform platform = to_learn();
    Measured measured;
    for (const EncodedList& list : platform.pool) measured.push_back(known_of(list));
    DistilOptions distil = options_.distil;
    distil.longest_seconds =
        std::max(learning_share * (options_.budget_seconds - options_.since.seconds()),
                 least_learning_seconds);
    Result<KnowledgeBase> next = learn_platform(base_, platform, measured, distil);
    if (!next) return is_stopped() ? stopped() : next.error();
    return Adapted{.base = *next,
                   .top1_before = top1(base_),
                   .top1_after = top1(*next),
                   .measured = pool_.measured()};
  }

 private:
  using Measured = std::vector<std::vector<bool>>;

  bool is_stopped() const { return options_.distil.is_stopped && options_.distil.is_stopped(); }
  Error stopped() const {
    return {"stopped; " + std::to_string(pool_.measured()) +
            " programs are measured and kept: run it again and it goes on"};
  }
  void report(const char* doing) const {
    if (progress_)
      progress_({.doing = doing,
                 .tasks = explorer_.size(),
                 .programs = pool_.size(),
                 .measured = pool_.measured(),
                 .seconds = options_.since.seconds()});
  }
  std::size_t threads() const { return static_cast<std::size_t>(options_.distil.threads); }
  /// Whether a task is not learned from.
  bool is_held_back(std::size_t task) const {
    return static_cast<unsigned char>(explorer_.name(task).back()) % 8 == 0;
  }

  Result<void> make_pool() {
    for (std::size_t n = 0; n < explorer_.size(); ++n) {
      if (is_stopped()) return stopped();
      const TaskSearch& search = explorer_.search(n);
      chains_.push_back(programs_of(search, options_.programs_per_task, options_.distil.seed));
      std::vector<EstimatedSchedule> schedules;
      for (const Space::Chain& chain : chains_.back())
        schedules.push_back(
            {&chain.draft.schedule,
             relative_estimate(chain.draft.estimate, search.untuned().draft.estimate)});
      const ScheduleEncoder encoder(search.task(), Encoding::Tokens);
      Result<Rows> rows = encoder.encode(schedules, threads());
      if (!rows) return rows.error();
      rows_.push_back(*std::move(rows));
      PoolList& list = pool_.lists.emplace_back();
      for (const Space::Chain& chain : chains_.back())
        list.is_measured.push_back(search.has_measured(chain.choices));
      report("drawing programs");
    }
    const Result<Mamba> mamba = Mamba::make({.shape = base_.shape, .weights = base_.weights});
    if (!mamba) return mamba.error();
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      features_.push_back(
          {.width = mamba->feature_width(), .values = mamba->features(rows_[n], threads())});
      pool_.lists[n].places = standardised(features_.back());
      pool_.lists[n].scores = mamba->score_of(rows_[n], features_.back().values);
    }
    return {};
  }

  /// Seconds of the programs of a task that were measured; none for those that were not, infinite
  /// for those that do not run.
  std::vector<std::optional<double>> seconds_of(std::size_t task) const {
    const TaskSearch& search = explorer_.search(task);
    std::map<Choices, double> known;
    for (const TaskSearch::Known& one : search.ranked())
      known.emplace(one.chain.choices, one.measurement.best());
    std::vector<std::optional<double>> seconds;
    for (const Space::Chain& chain : chains_[task]) {
      const auto found = known.find(chain.choices);
      if (found != known.end())
        seconds.emplace_back(found->second);
      else if (search.has_measured(chain.choices))
        seconds.emplace_back(std::numeric_limits<double>::infinity());
      else
        seconds.emplace_back();
    }
    return seconds;
  }

  /// Of the programs that were measured, beside the best; 0 for the rest.
  std::vector<float> labels_of(std::size_t task) const {
    const double best = explorer_.search(task).best_seconds();
    std::vector<float> labels;
    for (const std::optional<double>& seconds : seconds_of(task))
      labels.push_back(seconds ? std::max(failed_label, static_cast<float>(best / *seconds)) : 0);
    return labels;
  }

  /// Those of which fewest programs have been measured, and some are open.
  std::vector<std::size_t> next_tasks() const {
    std::vector<std::size_t> tasks;
    for (std::size_t n = 0; n < pool_.lists.size(); ++n)
      if (pool_.lists[n].measured() < pool_.lists[n].size()) tasks.push_back(n);
    std::ranges::stable_sort(tasks, {}, [&](std::size_t n) { return pool_.lists[n].measured(); });
    tasks.resize(std::min(tasks.size(), options_.tasks_at_once));
    return tasks;
  }

  /// Picks and measures; how many.
  Result<std::size_t> round(double progress) {
    vote();
    Rng rng(options_.distil.seed + pool_.measured());
    std::size_t count = 0;
    for (const std::size_t n : next_tasks()) {
      if (is_stopped()) return stopped();
      const Picks picks =
          rdu_picker()->pick(ProgramPool{.lists = {pool_.lists[n]}}, options_.programs_at_once,
                             std::min(progress, 0.999), rng);
      std::vector<Candidate> candidates;
      for (const std::size_t number : picks.front())
        candidates.push_back({chains_[n][number], "adapt"});
      count += candidates.size();
      const auto measured =
          explorer_.measure(n, std::move(candidates), explorer_.search(n).best_seconds());
      if (!measured) return measured.error();
      for (const std::size_t number : picks.front()) pool_.lists[n].is_measured[number] = true;
      report("measuring");
    }
    return count;
  }

  /// What a committee on the base's features makes of all measurements.
  void vote() {
    std::vector<Evidence> evidence;
    for (std::size_t n = 0; n < rows_.size(); ++n)
      if (const PoolList& list = pool_.lists[n]; list.measured() > 1)
        evidence.push_back(evidence_of(features_[n], list.is_measured, labels_of(n)));
    if (evidence.empty()) return;
    Rng rng(options_.distil.seed);
    const Committee committee = Committee::teach(evidence, heads, rng);
    for (std::size_t n = 0; n < rows_.size(); ++n)
      pool_.lists[n].votes = committee.votes(features_[n]);
  }

  /// All that may be learned from.
  Platform to_learn() const {
    Platform platform{.name = explorer_.search(0).task().target.name,
                      .pool = {},
                      .hardware_row = target_row,
                      .judge = {}};
    for (std::size_t n = 0; n < rows_.size(); ++n)
      if (!is_held_back(n)) platform.pool.push_back({nullptr, rows_[n], labels_of(n)});
    return platform;
  }
  static std::vector<bool> known_of(const EncodedList& list) {
    std::vector<bool> known;
    for (const float label : list.labels) known.push_back(label > 0);
    return known;
  }

  /// By the tasks that were held back, each alike.
  double top1(const KnowledgeBase& base) const {
    const ScoreRows score = scores_of(base, threads());
    double sum = 0, tasks = 0;
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      if (!is_held_back(n) || pool_.lists[n].measured() < 2) continue;
      const EncodedList all{nullptr, rows_[n], labels_of(n)};
      const EncodedList known = measured_part(all, known_of(all));
      const std::vector<float> scores = score(known.rows);
      const auto first = std::ranges::max_element(scores) - scores.begin();
      sum += static_cast<double>(known.labels[static_cast<std::size_t>(first)]);
      ++tasks;
    }
    return tasks > 0 ? sum / tasks : 0;
  }

  const KnowledgeBase& base_;
  Explorer explorer_;
  const AdaptOptions& options_;
  const std::function<void(const AdaptProgress&)>& progress_;
  std::vector<std::vector<Space::Chain>> chains_;  // by task, as all that follow
  std::vector<Rows> rows_;
  std::vector<Points> features_;
  ProgramPool pool_;
};

}  // namespace

Result<void> expect_time_to_adapt(double budget_seconds) {
  constexpr double least = 60;
  if (budget_seconds >= least) return {};
  return Error{"budget of " + std::to_string(std::lround(budget_seconds)) +
               " s: too short for a round of measuring and learning, expected " +
               std::to_string(std::lround(least)) + " s at least"};
}

Result<Adapted> adapt(const KnowledgeBase& base, const std::vector<Task>& tasks,
                      const Backend& backend, RecordStore& store, const AdaptOptions& options,
                      const std::function<void(const AdaptProgress&)>& progress) {
  if (const auto enough = expect_time_to_adapt(options.budget_seconds); !enough)
    return enough.error();
  Result<Explorer> explorer = Explorer::make(tasks, backend, store,
                                             {.cost_model = "prior",
                                              .seed = options.distil.seed,
                                              .has_seeds = false,
                                              .measure = options.measure,
                                              .version = options.version});
  if (!explorer) return explorer.error();
  return Adaptation(base, *std::move(explorer), options, progress).run();
}

}  // namespace tessera
