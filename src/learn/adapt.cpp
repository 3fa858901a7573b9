#include "learn/adapt.h"

#include "learn/seen_programs.h"
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
constexpr float failed_label = 1e-3F;  // of programs that do not run
/// By which former targets are remembered: one task in so many, and so many programs of each.
constexpr std::size_t tasks_per_former = 4, former_programs_per_task = 64;

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

/// As models read them.
Result<Rows> rows_of(const TaskSearch& search, const std::vector<Space::Chain>& chains,
                     std::size_t threads) {
  std::vector<EstimatedSchedule> schedules;
  for (const Space::Chain& chain : chains)
    schedules.push_back({&chain.draft.schedule,
                         relative_estimate(chain.draft.estimate, search.untuned().draft.estimate)});
  return ScheduleEncoder(search.task(), Encoding::Tokens).encode(schedules, threads);
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
    const auto former = former_programs();
    if (!former) return former.error();
    Platform platform = to_learn();
    platform.recall = [&](const std::string& name) {
      const auto found = former->find(name);
      return found == former->end() ? nullptr : &found->second;
    };
    Measured known;
    for (const EncodedList& list : platform.pool) known.push_back(known_of(list));
    DistilOptions distil = options_.distil;
    distil.progress = [&](std::string_view doing, double /*done*/) { report(doing); };
    distil.longest_seconds =
        std::max(learning_share * (options_.budget_seconds - options_.since.seconds()),
                 least_learning_seconds);
    Result<KnowledgeBase> next = learn_platform(base_, platform, known, distil);
    if (!next) return is_stopped() ? stopped() : next.error();
    return Adapted{.base = *next,
                   .top1_before = top1(base_),
                   .top1_after = top1(*next),
                   .measured = measured()};
  }

 private:
  bool is_stopped() const { return options_.distil.is_stopped && options_.distil.is_stopped(); }
  Error stopped() const {
    return {"stopped; " + std::to_string(measured()) +
            " programs are measured and kept: run it again and it goes on"};
  }
  void report(std::string_view doing) const {
    if (progress_)
      progress_({.doing = doing,
                 .tasks = explorer_.size(),
                 .programs = seen_.pool.size(),
                 .measured = measured(),
                 .seconds = options_.since.seconds()});
  }
  std::size_t measured() const { return seen_.pool.measured(); }
  PoolList& list(std::size_t task) { return seen_.pool.lists[task]; }
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
      Result<Rows> rows = rows_of(search, chains_.back(), threads());
      if (!rows) return rows.error();
      rows_.push_back(*std::move(rows));
      report("drawing programs");
    }
    std::vector<const Rows*> lists;
    for (const Rows& rows : rows_) lists.push_back(&rows);
    Result<SeenPrograms> seen = seen_by(base_, lists, threads());
    if (!seen) return seen.error();
    seen_ = *std::move(seen);
    for (std::size_t n = 0; n < chains_.size(); ++n)
      for (std::size_t k = 0; k < chains_[n].size(); ++k)
        list(n).is_measured[k] = explorer_.search(n).has_measured(chains_[n][k].choices);
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
    const std::vector<PoolList>& lists = seen_.pool.lists;
    std::vector<std::size_t> tasks;
    for (std::size_t n = 0; n < lists.size(); ++n)
      if (lists[n].measured() < lists[n].size()) tasks.push_back(n);
    std::ranges::stable_sort(tasks, {}, [&](std::size_t n) { return lists[n].measured(); });
    tasks.resize(std::min(tasks.size(), options_.tasks_at_once));
    return tasks;
  }

  /// Picks and measures; how many.
  Result<std::size_t> round(double progress) {
    Rng rng(options_.distil.seed + measured());
    let_vote(seen_, [&](std::size_t n) { return labels_of(n); }, rng);
    std::size_t count = 0;
    for (const std::size_t n : next_tasks()) {
      if (is_stopped()) return stopped();
      const Picks picks =
          rdu_picker()->pick(ProgramPool{.lists = {list(n)}}, options_.programs_at_once,
                             std::min(progress, 0.999), rng);
      std::vector<Candidate> candidates;
      for (const std::size_t number : picks.front())
        candidates.push_back({chains_[n][number], "adapt"});
      count += candidates.size();
      const auto done =
          explorer_.measure(n, std::move(candidates), explorer_.search(n).best_seconds());
      if (!done) return done.error();
      for (const std::size_t number : picks.front()) list(n).is_measured[number] = true;
      report("measuring");
    }
    return count;
  }

  /// Programs of some of the tasks as each target that the base knows has them: nothing is measured
  /// of those, and the base shall go on saying of them what it says now.
  Result<std::map<std::string, std::vector<EncodedList>>> former_programs() const {
    std::map<std::string, std::vector<EncodedList>> former;
    for (const KnownPlatform& known : base_.known) {
      const Result<Target> target = parse_target(known.name);
      if (!target) return Error{"known platform " + known.name + ": " + target.error().message};
      for (std::size_t n = 0; n < explorer_.size(); n += tasks_per_former) {
        if (is_stopped()) return stopped();
        Task task = explorer_.search(n).task();
        task.target = *target;
        const TaskSearch search(std::move(task));
        const std::vector<Space::Chain> chains =
            programs_of(search, former_programs_per_task, options_.distil.seed);
        Result<Rows> rows = rows_of(search, chains, threads());
        if (!rows) return rows.error();
        former[known.name].push_back({nullptr, *std::move(rows), {}});
        report("recalling programs of former targets");
      }
    }
    return former;
  }

  /// All that may be learned from.
  Platform to_learn() const {
    Platform platform{.name = to_text(explorer_.search(0).task().target),
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
      if (!is_held_back(n) || seen_.pool.lists[n].measured() < 2) continue;
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
  SeenPrograms seen_;
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
