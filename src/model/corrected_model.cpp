#include "feature/choice_features.h"
#include "model/booster.h"
#include "model/cost_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace tessera {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();
/// Few lessons teach trees only noise.
constexpr std::size_t fewest_lessons = 24;
/// Trees of one training, and how many more lessons are worth the next one.
constexpr int trees = 60;
constexpr double worthwhile_growth = 1.15;

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

/// score = slope * base + trees of the choices.
class CorrectedModel : public CostModel {
 public:
  CorrectedModel(std::unique_ptr<CostModel> base, std::uint64_t seed)
      : base_(std::move(base)), seed_(seed) {}

  std::string_view name() const override { return base_->name(); }

  std::vector<double> score(const Task& task,
                            std::span<const Space::Chain* const> chains) const override {
    std::vector<double> scores = base_->score(task, chains);
    if (!booster_ || chains.empty()) return scores;
    std::vector<float> values;
    for (std::size_t n = 0; n < chains.size(); ++n)
      append_row(features_of(task, *chains[n], scores[n]), values);
    const std::vector<float> corrections = booster_->predict(BoosterRows(values, chains.size()));
    for (std::size_t n = 0; n < scores.size(); ++n)
      scores[n] = slope_ * scores[n] + static_cast<double>(corrections[n]);
    return scores;
  }

  void learn(std::vector<Lesson> lessons) override {
    std::map<const Task*, std::vector<const Space::Chain*>> chains;
    for (const Lesson& lesson : lessons) chains[lesson.task].push_back(&lesson.chain);
    std::map<const Task*, std::vector<double>> scores;
    for (const auto& [task, of_task] : chains) scores[task] = base_->score(*task, of_task);
    std::map<const Task*, std::size_t> next;
    for (const Lesson& lesson : lessons) {
      const double base = scores[lesson.task][next[lesson.task]++];
      known_.push_back(
          {lesson.task, features_of(*lesson.task, lesson.chain, base), base, lesson.label});
    }
    const auto count = static_cast<double>(known_.size());
    if (known_.size() >= fewest_lessons && count > worthwhile_growth * learned_) train();
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

  void train() {
    const auto centres = means();
    double products = 0, squares = 0;
    for (const Known& one : known_) {
      const auto& [base, label] = centres.at(one.task);
      products += (one.base - base) * (one.label - label);
      squares += (one.base - base) * (one.base - base);
    }
    slope_ = squares > 0 ? std::max(products / squares, 0.0) : 0;
    columns_.clear();
    for (const Known& one : known_)
      for (const auto& [name, value] : one.features) columns_.try_emplace(name, columns_.size());
    std::vector<float> values, labels, weights;
    for (const Known& one : known_) {
      const auto& [base, label] = centres.at(one.task);
      append_row(one.features, values);
      labels.push_back(static_cast<float>((one.label - label) - slope_ * (one.base - base)));
      weights.push_back(static_cast<float>(std::exp(std::clamp(one.label, -3.0, 1.0))));
    }
    BoosterRows rows(values, known_.size());
    rows.set_labels(labels);
    rows.set_weights(weights);
    booster_ = grown(rows, seed_);
    learned_ = static_cast<double>(known_.size());
  }

  /// One value per known column.
  void append_row(const std::map<std::string, float>& features, std::vector<float>& values) const {
    const std::size_t begin = values.size();
    values.resize(begin + columns_.size(), missing);
    for (const auto& [name, value] : features)
      if (const auto column = columns_.find(name); column != columns_.end())
        values[begin + column->second] = value;
  }

  std::unique_ptr<CostModel> base_;
  std::uint64_t seed_;
  std::vector<Known> known_;
  double slope_ = 1;
  std::map<std::string, std::size_t> columns_;
  std::optional<Booster> booster_;
  double learned_ = 0;  // lessons in the last training
};

}  // namespace

std::unique_ptr<CostModel> corrected_model(std::unique_ptr<CostModel> base, std::uint64_t seed) {
  return std::make_unique<CorrectedModel>(std::move(base), seed);
}

}  // namespace tessera
