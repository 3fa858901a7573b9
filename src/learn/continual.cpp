#include "learn/continual.h"

#include "base/rng.h"
#include "base/stopwatch.h"
#include "learn/distil.h"
#include "learn/places.h"
#include "learn/training.h"
#include "model/mamba.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {
namespace {

constexpr double replayed = 0.01;
constexpr std::size_t fewest_measured = 4;
constexpr std::size_t lists_per_step = 16;  // of `lwf`, drawn; no more than there are

std::size_t bytes_of(const Tensors& tensors) {
  std::size_t bytes = 0;
  for (const NamedTensor& tensor : tensors) bytes += tensor.values.size() * sizeof(float);
  return bytes;
}

std::size_t data_bytes(const std::vector<EncodedList>& lists) {
  std::size_t bytes = 0;
  for (const EncodedList& list : lists)
    bytes += (list.rows.values.size() + list.labels.size()) * sizeof(float);
  return bytes;
}

ScoreRows scores_with(const RankerShape& shape, const Tensors& weights, int threads) {
  return scores_of(KnowledgeBase{.shape = shape, .weights = weights},
                   static_cast<std::size_t>(threads));
}

TrainingOptions training_of(const DistilOptions& options) {
  return {.learning_rate = options.learning_rate,
          .seed = options.seed,
          .is_stopped = options.is_stopped};
}

/// Steps in which what is known of several platforms is learned from as often as what is `fresh`
/// would be by itself, at most so many as learning them in turn takes.
std::int64_t steps_for_all(const std::vector<EncodedList>& known,
                           const std::vector<EncodedList>& fresh, std::int64_t platforms,
                           const DistilOptions& options) {
  const std::int64_t epochs = (options.learning_steps - 1) / steps_of(fresh, {}) + 1;
  return std::min(epochs * steps_of(known, {}), options.learning_steps * platforms);
}

class Distil : public ContinualLearner {
 public:
  Distil(const RankerShape& shape, const DistilOptions& options) : options_(options) {
    base_.shape = shape;
  }
  Result<void> learn(const Platform& platform, const Measured& measured) override {
    Result<KnowledgeBase> next = learn_platform(base_, platform, measured, options_);
    if (!next) return next.error();
    base_ = *std::move(next);
    return {};
  }
  ScoreRows scores() const override {
    return scores_of(base_, static_cast<std::size_t>(options_.threads));
  }
  std::unique_ptr<ContinualLearner> clone() const override {
    return std::make_unique<Distil>(*this);
  }
  /// A column is there only while a platform is learned.
  std::size_t model_bytes() const override {
    const TrainedRanker kept = to_trained(base_, {});
    return bytes_of(kept.weights) + bytes_of(kept.memory);
  }
  std::size_t kept_data_bytes() const override { return 0; }

 private:
  KnowledgeBase base_;
  DistilOptions options_;
};

/// What it begins a platform with and learns from.
enum class Habit { Scratch, FineTune, Joint, Ewc, Lwf, Replay };

class Plain : public ContinualLearner {
 public:
  Plain(Habit habit, const RankerShape& shape, const DistilOptions& options)
      : habit_(habit), shape_(shape), options_(options) {}

  Result<void> learn(const Platform& platform, const Measured& measured) override {
    ++platforms_;
    std::vector<EncodedList> known = measured_parts(platform.pool, measured);
    const std::vector<EncodedList> fresh = known;
    known.insert(known.end(), kept_.begin(), kept_.end());
    Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape_, options_.seed, options_.threads);
    if (!ranker) return ranker.error();
    const bool goes_on = habit_ != Habit::Scratch && habit_ != Habit::Joint && !weights_.empty();
    if (goes_on)
      if (const auto set = (*ranker)->set_weights(weights_); !set) return set.error();
    if (habit_ == Habit::Ewc && goes_on) {
      Tensors strength = importance_;
      for (NamedTensor& tensor : strength)
        for (float& value : tensor.values) value *= options_.importance_weight;
      if (const auto held = (*ranker)->hold(weights_, strength); !held) return held.error();
    }
    const Result<Tensors> weights = habit_ == Habit::Lwf && goes_on
                                        ? taught_to_stay(**ranker, platform, known)
                                        : taught(**ranker, known, fresh);
    if (!weights) return weights.error();
    weights_ = *weights;
    if (habit_ == Habit::Ewc) {
      const auto added = add_importance(**ranker, fresh);
      if (!added) return added;
    }
    keep(fresh);
    return {};
  }
  ScoreRows scores() const override { return scores_with(shape_, weights_, options_.threads); }
  std::unique_ptr<ContinualLearner> clone() const override {
    return std::make_unique<Plain>(*this);
  }
  std::size_t model_bytes() const override { return bytes_of(weights_) + bytes_of(importance_); }
  std::size_t kept_data_bytes() const override { return data_bytes(kept_); }

 private:
  Result<Tensors> taught(Ranker& ranker, const std::vector<EncodedList>& known,
                         const std::vector<EncodedList>& fresh) const {
    const std::int64_t steps = habit_ == Habit::Joint
                                   ? steps_for_all(known, fresh, platforms_, options_)
                                   : options_.learning_steps;
    const auto done = teach_steps(ranker, known, training_of(options_), steps);
    if (!done) return done.error();
    return ranker.weights();
  }

  /// As `distil` compresses, without a column, without other platforms' rows and without being
  /// held: the measurements, and what it said of the same programs before.
  Result<Tensors> taught_to_stay(Ranker& ranker, const Platform& platform,
                                 const std::vector<EncodedList>& known) const {
    const ScoreRows former = scores_with(shape_, weights_, options_.threads);
    std::vector<std::vector<float>> said, labels;
    for (const EncodedList& list : known) {
      said.push_back(former(list.rows));
      labels.push_back(sharpened(list.labels));
    }
    Rng rng(options_.seed ^ fingerprint(platform.name).low);
    Tensors mean = ranker.weights();
    const std::size_t count = std::min(lists_per_step, known.size());
    for (std::int64_t step = 0; step < options_.learning_steps; ++step) {
      if (options_.is_stopped && options_.is_stopped()) return Error{"stopped"};
      Rows rows{.width = shape_.width};
      std::vector<std::size_t> lists = {0}, numbers;
      for (std::size_t n = 0; n < count; ++n) {
        numbers.push_back(static_cast<std::size_t>(rng.below(std::ssize(known))));
        rows.append(known[numbers.back()].rows);
        lists.push_back(rows.size());
      }
      const auto loss = [&](std::size_t n, const Judgement& judgement) {
        return plus(lambda_rank(judgement.scores, labels[numbers[n]]),
                    imitation_loss(judgement.scores, said[numbers[n]]), options_.memory_weight);
      };
      ranker.learn(rows, lists, loss, options_.learning_rate);
      blend(mean, ranker.weights(), 0.98F);
    }
    return mean;
  }

  Result<void> add_importance(Ranker& ranker, const std::vector<EncodedList>& lists) {
    if (const auto set = ranker.set_weights(weights_); !set) return set.error();
    Rows rows{.width = shape_.width};
    std::vector<std::size_t> begins = {0};
    std::vector<float> labels;
    for (const EncodedList& list : lists) {
      rows.append(list.rows);
      const std::vector<float> sharp = sharpened(list.labels);
      labels.insert(labels.end(), sharp.begin(), sharp.end());
      begins.push_back(rows.size());
    }
    Tensors squares = normalised(ranker.importance(rows, begins, ranking_loss(labels, begins)));
    add_kept(squares, importance_, options_.kept_importance);
    importance_ = std::move(squares);
    return {};
  }

  void keep(const std::vector<EncodedList>& fresh) {
    if (habit_ == Habit::Joint) kept_.insert(kept_.end(), fresh.begin(), fresh.end());
    if (habit_ != Habit::Replay) return;
    Rng rng(options_.seed);
    for (const EncodedList& list : fresh) {
      std::vector<bool> chosen(list.rows.size());
      for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = rng.chance(replayed);
      if (std::ranges::count(chosen, true) == 1)  // one alone cannot be ranked
        chosen[static_cast<std::size_t>(rng.below(std::ssize(chosen)))] = true;
      if (EncodedList part = measured_part(list, chosen); part.labels.size() > 1)
        kept_.push_back(std::move(part));
    }
  }

  Habit habit_;
  RankerShape shape_;
  DistilOptions options_;
  std::int64_t platforms_ = 0;  // so far
  Tensors weights_, importance_;
  std::vector<EncodedList> kept_;
};

/// MTL-TLP (Zhai et al. 2023): one trunk, a head for each platform, all data at once.
class ManyHeads : public ContinualLearner {
 public:
  ManyHeads(const RankerShape& shape, const DistilOptions& options)
      : shape_(shape), options_(options) {
    shape_.kind = "tlp";
  }

  Result<void> learn(const Platform& platform, const Measured& measured) override {
    hardware_row_ = platform.hardware_row;
    hardware_.push_back(hardware_of(platform.pool.front(), platform.hardware_row));
    std::vector<EncodedList> fresh = measured_parts(platform.pool, measured);
    for (EncodedList& part : fresh)
      part.rows.heads.assign(part.rows.size(), std::ssize(hardware_) - 1);
    kept_.insert(kept_.end(), fresh.begin(), fresh.end());
    shape_.heads = std::ssize(hardware_);
    Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape_, options_.seed, options_.threads);
    if (!ranker) return ranker.error();
    ranker_ = *std::move(ranker);
    return teach_steps(*ranker_, kept_, training_of(options_),
                       steps_for_all(kept_, fresh, shape_.heads, options_));
  }
  /// A platform that is not known is judged by the last head.
  ScoreRows scores() const override {
    return [this](const Rows& rows) {
      Rows judged = rows;
      for (std::size_t n = 0; n < rows.size(); ++n) {
        const std::span<const float> hardware =
            rows.of(n).subspan(hardware_row_ * rows.width, rows.width);
        const auto found = std::ranges::find_if(hardware_, [&](const std::vector<float>& known) {
          return std::ranges::equal(known, hardware);
        });
        judged.heads.push_back(std::min(found - hardware_.begin(), std::ssize(hardware_) - 1));
      }
      return ranker_->score(judged);
    };
  }
  std::unique_ptr<ContinualLearner> clone() const override {
    return std::make_unique<ManyHeads>(*this);
  }
  std::size_t model_bytes() const override {
    return ranker_ == nullptr ? 0 : bytes_of(ranker_->weights());
  }
  std::size_t kept_data_bytes() const override { return data_bytes(kept_); }

 private:
  RankerShape shape_;
  DistilOptions options_;
  std::size_t hardware_row_ = 0;
  std::vector<std::vector<float>> hardware_;
  std::vector<EncodedList> kept_;
  std::shared_ptr<Ranker> ranker_;  // taught anew with each platform
};

constexpr std::array<std::pair<std::string_view, Habit>, 6> habits = {
    {{"scratch", Habit::Scratch},
     {"fine-tune", Habit::FineTune},
     {"joint", Habit::Joint},
     {"ewc", Habit::Ewc},
     {"lwf", Habit::Lwf},
     {"replay", Habit::Replay}}};
constexpr std::array<std::string_view, 8> names = {"distil", "scratch", "fine-tune", "joint",
                                                   "ewc",    "lwf",     "replay",    "mtl-tlp"};

}  // namespace

std::span<const std::string_view> continual_names() { return names; }

Result<std::unique_ptr<ContinualLearner>> make_continual(std::string_view name,
                                                         const RankerShape& shape,
                                                         const DistilOptions& options) {
  if (name == "distil")
    return std::unique_ptr<ContinualLearner>(std::make_unique<Distil>(shape, options));
  if (name == "mtl-tlp")
    return std::unique_ptr<ContinualLearner>(std::make_unique<ManyHeads>(shape, options));
  for (const auto& [known, habit] : habits)
    if (name == known)
      return std::unique_ptr<ContinualLearner>(std::make_unique<Plain>(habit, shape, options));
  std::string expected;
  for (const std::string_view known : names)
    expected += (expected.empty() ? "" : ", ") + std::string(known);
  return Error{"way of learning \"" + std::string(name) + "\": expected one of " + expected};
}

Measured pick_measured(const Platform& platform, double share, std::uint64_t seed) {
  ProgramPool pool;
  for (const EncodedList& list : platform.pool) {
    PoolList& added = pool.lists.emplace_back();
    added.places = projected_places(list.rows);
    added.is_measured.resize(list.rows.size());
    added.scores = list.rows.estimates;
    added.scores.resize(list.rows.size());  // alike where nothing is estimated
  }
  Rng rng(seed);
  const auto count = std::max<std::size_t>(
      fewest_measured,
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(pool.size()))));
  const Picks picks = rdu_picker()->pick(pool, count, 0, rng);
  Measured measured;
  for (std::size_t n = 0; n < picks.size(); ++n) {
    measured.push_back(pool.lists[n].is_measured);
    for (const std::size_t number : picks[n]) measured.back()[number] = true;
  }
  return measured;
}

double TransferMatrix::average() const {
  double sum = 0;
  for (const double value : top1.back()) sum += value;
  return sum / static_cast<double>(top1.back().size());
}

double TransferMatrix::backward_transfer() const {
  double sum = 0;
  for (std::size_t n = 0; n + 1 < top1.size(); ++n) sum += top1.back()[n] - top1[n][n];
  return top1.size() < 2 ? 0 : sum / static_cast<double>(top1.size() - 1);
}

double TransferMatrix::forward_transfer() const {
  double sum = 0;
  for (std::size_t n = 1; n < top1.size(); ++n) sum += top1[n - 1][n] - untrained[n];
  return top1.size() < 2 ? 0 : sum / static_cast<double>(top1.size() - 1);
}

double TransferMatrix::forgetting() const {
  double sum = 0;
  for (std::size_t n = 0; n + 1 < top1.size(); ++n) {
    double best = 0;
    for (std::size_t learned = 0; learned + 1 < top1.size(); ++learned)
      best = std::max(best, top1[learned][n]);
    sum += best - top1.back()[n];
  }
  return top1.size() < 2 ? 0 : sum / static_cast<double>(top1.size() - 1);
}

Result<TransferMatrix> learn_in_turn(ContinualLearner& learner,
                                     std::span<const Platform* const> platforms,
                                     std::span<const Measured> measured,
                                     const std::function<void(std::size_t)>& before_each) {
  TransferMatrix matrix;
  const auto prior = [](const Rows& rows) {
    std::vector<float> scores = rows.estimates;
    scores.resize(rows.size());
    return scores;
  };
  for (const Platform* platform : platforms)
    matrix.untrained.push_back(platform->judge(prior).top1.mean);
  for (std::size_t n = 0; n < platforms.size(); ++n) {
    if (before_each) before_each(n);
    const Stopwatch stopwatch;
    if (const auto learned = learner.learn(*platforms[n], measured[n]); !learned)
      return learned.error();
    matrix.seconds.push_back(stopwatch.seconds());
    std::vector<double>& row = matrix.top1.emplace_back();
    const ScoreRows scores = learner.scores();
    for (const Platform* platform : platforms) row.push_back(platform->judge(scores).top1.mean);
  }
  return matrix;
}

}  // namespace tessera
