#include "learn/active.h"

#include "base/parallel_for.h"
#include "learn/knowledge_base.h"
#include "learn/places.h"
#include "learn/seen_programs.h"
#include "learn/training.h"
#include "model/mamba.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

constexpr std::int64_t least_epochs = 8;

class ActiveLearner {
 public:
  ActiveLearner(const TargetPrograms& programs, const ActiveOptions& options)
      : programs_(programs), lists_(programs.lists), options_(options) {
    for (std::size_t n = 0; n < lists_.size(); ++n)
      seen_.pool.lists.push_back({.places = programs.places[n],
                                  .is_measured = std::vector<bool>(lists_[n].rows.size()),
                                  .scores = lists_[n].rows.estimates});
  }

  void measure(const Picker& picker, double budget, Rng& rng) {
    const auto wanted =
        static_cast<std::size_t>(std::llround(budget * static_cast<double>(seen_.pool.size())));
    const std::size_t known = seen_.pool.measured();
    if (wanted <= known) return;
    const double all = options_.budgets.back() * static_cast<double>(seen_.pool.size());
    const Picks picks =
        picker.pick(seen_.pool, wanted - known, static_cast<double>(known) / all, rng);
    for (std::size_t n = 0; n < picks.size(); ++n)
      for (const std::size_t number : picks[n]) seen_.pool.lists[n].is_measured[number] = true;
  }

  /// From the beginning, by all that has been measured.
  Result<Mamba> learn() const {
    std::vector<EncodedList> known;
    for (std::size_t n = 0; n < lists_.size(); ++n)
      if (seen_.pool.lists[n].measured() > 1)
        known.push_back(measured_part(lists_[n], seen_.pool.lists[n].is_measured));
    const RankerShape shape{.kind = "mamba",
                            .width = lists_.front().rows.width,
                            .scales = programs_.scales,
                            .model_width = options_.model_width};
    Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, options_.seed, options_.threads);
    if (!ranker) return ranker.error();
    const TrainingOptions training{.seed = options_.seed, .is_stopped = options_.is_stopped};
    const auto done =
        teach_steps(**ranker, known, training,
                    std::max(options_.steps, least_epochs * steps_of(known, training)));
    if (!done) return done.error();
    return Mamba::make({.shape = shape, .weights = (*ranker)->weights()});
  }

  /// What the Picker sees from now on.
  void look(const Mamba& mamba, Rng& rng) {
    seen_.features.resize(lists_.size());
    parallel_for(lists_.size(), static_cast<std::size_t>(options_.threads), [&](std::size_t n) {
      const Rows& rows = lists_[n].rows;
      const Points features{.width = mamba.feature_width(), .values = mamba.features(rows, 1)};
      seen_.pool.lists[n].scores = mamba.score_of(rows, features.values);
      seen_.features[n] = with_estimates(features, rows.estimates);
      seen_.pool.lists[n].places = standardised(seen_.features[n]);
    });
    let_vote(seen_, [&](std::size_t n) { return lists_[n].labels; }, rng);
  }

  ActiveRound judged(double budget, const Mamba& mamba) const {
    ActiveRound round{.budget = budget, .programs = seen_.pool.measured()};
    double tasks = 0;
    for (std::size_t n = 0; n < lists_.size(); ++n) {
      double best = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < lists_[n].rows.size(); ++k) {
        if (!seen_.pool.lists[n].is_measured[k]) continue;
        const double seconds = lists_[n].list->seconds[k];
        round.measured_seconds += seconds;
        best = std::min(best, seconds);
      }
      round.best_inside += lists_[n].list->best_seconds() / best;  // 0 when none was measured
      tasks += 1;
    }
    round.best_inside /= tasks;
    const auto threads = static_cast<std::size_t>(options_.threads);
    round.ranking = programs_.judge([&](const Rows& rows) { return mamba.score(rows, threads); });
    return round;
  }

 private:
  static Points with_estimates(const Points& features, const std::vector<float>& estimates) {
    Points wider{.width = features.width + 1, .values = {}};
    for (std::size_t n = 0; n < features.size(); ++n) {
      const std::span<const float> feature = features.of(n);
      wider.values.insert(wider.values.end(), feature.begin(), feature.end());
      wider.values.push_back(estimates[n]);
    }
    return wider;
  }

  const TargetPrograms& programs_;
  const std::vector<EncodedList>& lists_;  // of the programs
  const ActiveOptions& options_;
  SeenPrograms seen_;
};

}  // namespace

Result<TargetPrograms> programs_of(const Dataset& data, const std::string& target, int threads) {
  std::vector<const ScheduleList*> chosen;
  for (const ScheduleList& list : data.lists)
    if (list.purpose != Purpose::HeldOut && to_text(list.task.target) == target)
      chosen.push_back(&list);
  if (chosen.empty()) return Error{"target " + target + ": nothing to learn from"};
  Result<std::vector<EncodedList>> lists =
      encode(chosen, Encoding::Tokens, static_cast<std::size_t>(threads));
  if (!lists) return lists.error();
  Result<JudgeScores> judge = judge_by_tokens(data, target, static_cast<std::size_t>(threads));
  if (!judge) return judge.error();
  TargetPrograms programs{.target = target,
                          .lists = *std::move(lists),
                          .places = {},
                          .scales = {},
                          .judge = *std::move(judge)};
  for (const EncodedList& list : programs.lists)
    programs.places.push_back(projected_places(list.rows));
  programs.scales = scales_of(programs.lists);
  return programs;
}

Result<std::vector<ActiveRound>> learn_actively(const TargetPrograms& programs,
                                                const Picker& picker,
                                                const ActiveOptions& options) {
  ActiveLearner learner(programs, options);
  Rng rng(options.seed);
  std::vector<ActiveRound> rounds;
  for (const double budget : options.budgets) {
    learner.measure(picker, budget, rng);
    const Result<Mamba> mamba = learner.learn();
    if (!mamba) return mamba.error();
    const bool is_last = budget == options.budgets.back();
    if (options.learns_between && !is_last) learner.look(*mamba, rng);
    rounds.push_back(learner.judged(budget, *mamba));
  }
  return rounds;
}

}  // namespace tessera
