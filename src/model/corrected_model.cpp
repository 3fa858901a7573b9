#include "base/stopwatch.h"
#include "feature/choice_features.h"
#include "model/booster.h"
#include "model/cost_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <map>
#include <optional>
#include <sched.h>

namespace tessera {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();
/// Few lessons teach trees only noise.
constexpr std::size_t fewest_lessons = 24;
/// Trees of one training, and how many more lessons are worth the next one.
constexpr int trees = 60;
constexpr double worthwhile_growth = 1.15;
/// Of the time since the first lesson, training takes this share at most.
constexpr double largest_share = 0.1;

Booster grown(const BoosterRows& lessons, std::uint64_t seed) {
  return {lessons,
          {{"objective", "reg:squarederror"},
           {"tree_method", "hist"},
           {"max_depth", "6"},
           {"eta", "0.15"},
           {"min_child_weight", "1"},
           {"subsample", "0.9"},
           {"seed", std::to_string(seed % 1'000'000)},
           {"verbosity", "0"},
           {"nthread", "1"}},  // the lessons are few, and threads would wait for each other
          trees};
}

/// What one training has learned.
struct Correction {
  double slope = 1;
  std::map<std::string, std::size_t> columns;
  Booster booster;
  double seconds = 0;  // that it took
};

/// Training gives way to all else: candidates are being timed meanwhile.
void give_way() {
  const sched_param none{};
  sched_setscheduler(0, SCHED_IDLE, &none);  // where that is refused it is as urgent as the rest
}

/// score = slope * base + trees of the choices. Trees grow on a thread of their own; scores show
/// what they know from the first `learn` after that.
class CorrectedModel : public CostModel {
 public:
  CorrectedModel(std::unique_ptr<CostModel> base, std::uint64_t seed)
      : base_(std::move(base)), seed_(seed) {}

  std::string_view name() const override { return base_->name(); }

  std::vector<double> score(const Task& task,
                            std::span<const Space::Chain* const> chains) const override {
    std::vector<double> scores = base_->score(task, chains);
    if (!correction_ || chains.empty()) return scores;
    std::vector<float> values;
    for (std::size_t n = 0; n < chains.size(); ++n)
      append_row(features_of(task, *chains[n], scores[n]), correction_->columns, values);
    const std::vector<float> added =
        correction_->booster.predict(BoosterRows(values, chains.size()));
    for (std::size_t n = 0; n < scores.size(); ++n)
      scores[n] = correction_->slope * scores[n] + static_cast<double>(added[n]);
    return scores;
  }

  void learn(std::vector<Lesson> lessons) override {
    std::map<const Task*, std::vector<const Space::Chain*>> chains;
    if (known_.empty()) since_first_ = {};
    for (const Lesson& lesson : lessons) chains[lesson.task].push_back(&lesson.chain);
    std::map<const Task*, std::vector<double>> scores;
    for (const auto& [task, of_task] : chains) scores[task] = base_->score(*task, of_task);
    std::map<const Task*, std::size_t> next;
    for (const Lesson& lesson : lessons) {
      const double base = scores[lesson.task][next[lesson.task]++];
      known_.push_back(
          {lesson.task, features_of(*lesson.task, lesson.chain, base), base, lesson.label});
    }
    take_training();
    const auto count = static_cast<double>(known_.size());
    if (!training_.valid() && known_.size() >= fewest_lessons &&
        count > worthwhile_growth * learned_ && spent_ <= largest_share * since_first_.seconds())
      start_training();
  }

 private:
  struct Known {
    const Task* task;
    std::map<std::string, float> features;
    double base;
    double label;
  };

  static std::map<std::string, float> features_of(const Task& task, const Space::Chain& chain,
                                                  double base) {
    std::map<std::string, float> features = choice_features(task, chain);
    features["base"] = static_cast<float>(base);
    return features;
  }

  /// The mean of each task's labels and base scores: between tasks neither compares.
  std::map<const Task*, std::pair<double, double>> means() const {
    std::map<const Task*, std::pair<double, double>> sums;
    std::map<const Task*, double> counts;
    for (const Known& one : known_) {
      sums[one.task].first += one.base;
      sums[one.task].second += one.label;
      ++counts[one.task];
    }
    for (auto& [task, sum] : sums) {
      sum.first /= counts[task];
      sum.second /= counts[task];
    }
    return sums;
  }

  void take_training() {
    if (!training_.valid() ||
        training_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return;
    correction_ = training_.get();
    spent_ += correction_->seconds;
  }

  void start_training() {
    const auto centres = means();
    double products = 0, squares = 0;
    for (const Known& one : known_) {
      const auto& [base, label] = centres.at(one.task);
      products += (one.base - base) * (one.label - label);
      squares += (one.base - base) * (one.base - base);
    }
    const double slope = squares > 0 ? std::max(products / squares, 0.0) : 0;
    std::map<std::string, std::size_t> columns;
    for (const Known& one : known_)
      for (const auto& [name, value] : one.features) columns.try_emplace(name, columns.size());
    std::vector<float> values, labels, weights;
    for (const Known& one : known_) {
      const auto& [base, label] = centres.at(one.task);
      append_row(one.features, columns, values);
      labels.push_back(static_cast<float>((one.label - label) - slope * (one.base - base)));
      weights.push_back(static_cast<float>(std::exp(std::clamp(one.label, -3.0, 1.0))));
    }
    learned_ = static_cast<double>(known_.size());
    training_ = std::async(std::launch::async, [=, seed = seed_] {
      give_way();
      const Stopwatch stopwatch;
      BoosterRows rows(values, labels.size());
      rows.set_labels(labels);
      rows.set_weights(weights);
      return Correction{slope, columns, grown(rows, seed), stopwatch.seconds()};
    });
  }

  /// One value per column.
  static void append_row(const std::map<std::string, float>& features,
                         const std::map<std::string, std::size_t>& columns,
                         std::vector<float>& values) {
    const std::size_t begin = values.size();
    values.resize(begin + columns.size(), missing);
    for (const auto& [name, value] : features)
      if (const auto column = columns.find(name); column != columns.end())
        values[begin + column->second] = value;
  }

  std::unique_ptr<CostModel> base_;
  std::uint64_t seed_;
  std::vector<Known> known_;
  double learned_ = 0;  // lessons in the last training
  Stopwatch since_first_;
  double spent_ = 0;  // seconds of training
  std::optional<Correction> correction_;
  std::future<Correction> training_;
};

}  // namespace

std::unique_ptr<CostModel> corrected_model(std::unique_ptr<CostModel> base, std::uint64_t seed) {
  return std::make_unique<CorrectedModel>(std::move(base), seed);
}

}  // namespace tessera
