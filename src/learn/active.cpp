#include "learn/active.h"

#include "learn/knowledge_base.h"
#include "learn/places.h"
#include "learn/scorers.h"
#include "learn/training.h"
#include "model/mamba.h"
#include "pick/committee.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

constexpr std::size_t heads = 4;

class ActiveLearner {
 public:
  ActiveLearner(const Dataset& data, std::string target, const ActiveOptions& options)
      : data_(data), target_(std::move(target)), options_(options) {}

  Result<void> begin() {
    std::vector<const ScheduleList*> chosen;
    for (const ScheduleList& list : data_.lists)
      if (list.purpose != Purpose::HeldOut && to_text(list.task.target) == target_)
        chosen.push_back(&list);
    if (chosen.empty()) return Error{"target " + target_ + ": nothing to learn from"};
    Result<std::vector<EncodedList>> encoded =
        encode(chosen, Encoding::Tokens, static_cast<std::size_t>(options_.threads));
    if (!encoded) return encoded.error();
    lists_ = *std::move(encoded);
    for (const EncodedList& list : lists_)
      pool_.lists.push_back({.places = projected_places(list.rows),
                             .is_measured = std::vector<bool>(list.rows.size()),
                             .scores = list.rows.estimates});
    return {};
  }

  void measure(const Picker& picker, double budget, Rng& rng) {
    const auto wanted =
        static_cast<std::size_t>(std::llround(budget * static_cast<double>(pool_.size())));
    const std::size_t known = pool_.measured();
    if (wanted <= known) return;
    const double all = options_.budgets.back() * static_cast<double>(pool_.size());
    const Picks picks = picker.pick(pool_, wanted - known, static_cast<double>(known) / all, rng);
    for (std::size_t n = 0; n < picks.size(); ++n)
      for (const std::size_t number : picks[n]) pool_.lists[n].is_measured[number] = true;
  }

  /// From the beginning, by all that has been measured.
  Result<Mamba> learn() const {
    std::vector<EncodedList> known;
    for (std::size_t n = 0; n < lists_.size(); ++n)
      if (pool_.lists[n].measured() > 1)
        known.push_back(measured_part(lists_[n], pool_.lists[n].is_measured));
    RankerShape shape{
        .kind = "mamba", .width = lists_.front().rows.width, .model_width = options_.model_width};
    shape.scales = scales_of(lists_);
    Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, options_.seed, options_.threads);
    if (!ranker) return ranker.error();
    const auto done =
        teach_steps(**ranker, known, {.seed = options_.seed, .is_stopped = options_.is_stopped},
                    options_.steps);
    if (!done) return done.error();
    return Mamba::make({.shape = shape, .weights = (*ranker)->weights()});
  }

  /// What the Picker sees from now on.
  void look(const Mamba& mamba, Rng& rng) {
    const auto threads = static_cast<std::size_t>(options_.threads);
    std::vector<Evidence> evidence;
    std::vector<Points> features;
    for (std::size_t n = 0; n < lists_.size(); ++n) {
      PoolList& list = pool_.lists[n];
      list.scores = mamba.score(lists_[n].rows, threads);
      features.push_back(with_estimates(
          {.width = mamba.feature_width(), .values = mamba.features(lists_[n].rows, threads)},
          lists_[n].rows.estimates));
      list.places = standardised(features.back());
      if (list.measured() < 2) continue;
      Evidence& one = evidence.emplace_back();
      one.features.width = features.back().width;
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (!list.is_measured[k]) continue;
        const std::span<const float> feature = features.back().of(k);
        one.features.values.insert(one.features.values.end(), feature.begin(), feature.end());
        one.labels.push_back(lists_[n].labels[k]);
      }
    }
    if (evidence.empty()) return;
    const Committee committee = Committee::teach(evidence, heads, rng);
    for (std::size_t n = 0; n < lists_.size(); ++n)
      pool_.lists[n].votes = committee.votes(features[n]);
  }

  ActiveRound judged(double budget, const Mamba& mamba) const {
    ActiveRound round{.budget = budget, .programs = pool_.measured()};
    double tasks = 0;
    for (std::size_t n = 0; n < lists_.size(); ++n) {
      double best = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < lists_[n].rows.size(); ++k) {
        if (!pool_.lists[n].is_measured[k]) continue;
        const double seconds = lists_[n].list->seconds[k];
        round.measured_seconds += seconds;
        best = std::min(best, seconds);
      }
      round.best_inside += lists_[n].list->best_seconds() / best;  // 0 when none was measured
      tasks += 1;
    }
    round.best_inside /= tasks;
    const auto threads = static_cast<std::size_t>(options_.threads);
    const Scorer scorer =
        trained_scorer({.kind = "mamba",
                        .score = [&](const Rows& rows) { return mamba.score(rows, threads); },
                        .threads = threads});
    round.ranking = judge(data_, target_, scorer);
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

  const Dataset& data_;
  std::string target_;
  ActiveOptions options_;
  std::vector<EncodedList> lists_;
  ProgramPool pool_;
};

}  // namespace

Result<std::vector<ActiveRound>> learn_actively(
    const Dataset& data, const std::string& target, const Picker& picker,
    const ActiveOptions& options, const std::function<void(const ActiveRound&)>& progress) {
  ActiveLearner learner(data, target, options);
  if (const auto begun = learner.begin(); !begun) return begun.error();
  Rng rng(options.seed);
  std::vector<ActiveRound> rounds;
  for (const double budget : options.budgets) {
    learner.measure(picker, budget, rng);
    const Result<Mamba> mamba = learner.learn();
    if (!mamba) return mamba.error();
    if (options.learns_between) learner.look(*mamba, rng);
    rounds.push_back(learner.judged(budget, *mamba));
    if (progress) progress(rounds.back());
  }
  return rounds;
}

}  // namespace tessera
