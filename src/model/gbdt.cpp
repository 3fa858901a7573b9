#include "base/check.h"
#include "feature/choice_features.h"
#include "model/cost_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <xgboost/c_api.h>

namespace tessera {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();
/// Few lessons teach trees only noise.
constexpr std::size_t fewest_lessons = 24;
/// Trees of one training, and how many more lessons are worth the next one.
constexpr int trees = 60;
constexpr double worthwhile_growth = 1.15;

void must(int status) { check(status == 0, std::string("xgboost: ") + XGBGetLastError()); }

/// Rows of numbers as the library holds them.
class Matrix {
 public:
  Matrix(const std::vector<float>& values, std::size_t rows) {
    must(XGDMatrixCreateFromMat(values.data(), rows, values.size() / rows, missing, &handle_));
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  void set(const char* field, const std::vector<float>& values) {
    must(XGDMatrixSetFloatInfo(handle_, field, values.data(), values.size()));
  }
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  Booster(const Matrix& lessons, std::uint64_t seed) {
    const DMatrixHandle matrices[] = {lessons.handle()};
    must(XGBoosterCreate(matrices, 1, &handle_));
    const std::pair<const char*, std::string> parameters[] = {
        {"objective", "reg:squarederror"},
        {"tree_method", "hist"},
        {"max_depth", "6"},
        {"eta", "0.15"},
        {"min_child_weight", "1"},
        {"subsample", "0.9"},
        {"seed", std::to_string(seed % 1'000'000)},
        {"verbosity", "0"},
        {"nthread", "1"}};  // the lessons are few, and threads would wait for each other
    for (const auto& [key, value] : parameters)
      must(XGBoosterSetParam(handle_, key, value.c_str()));
    for (int n = 0; n < trees; ++n) must(XGBoosterUpdateOneIter(handle_, n, lessons.handle()));
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  std::vector<double> predict(const Matrix& rows) const {
    bst_ulong count = 0;
    const float* values = nullptr;
    must(XGBoosterPredict(handle_, rows.handle(), 0, 0, 0, &count, &values));
    return {values, values + count};
  }

 private:
  BoosterHandle handle_ = nullptr;
};

class GbdtModel : public CostModel {
 public:
  explicit GbdtModel(std::uint64_t seed) : seed_(seed) {}

  std::string_view name() const override { return "gbdt"; }

  std::vector<double> score(const Task& task,
                            std::span<const Space::Chain* const> chains) const override {
    std::vector<double> scores;
    for (const Space::Chain* chain : chains) scores.push_back(-std::log(chain->draft.cycles));
    if (!booster_ || chains.empty()) return scores;
    std::vector<float> values;
    for (const Space::Chain* chain : chains) append_row(choice_features(task, *chain), values);
    const std::vector<double> corrections = booster_->predict(Matrix(values, chains.size()));
    for (std::size_t n = 0; n < scores.size(); ++n) scores[n] += corrections[n];
    return scores;
  }

  void learn(std::vector<Lesson> lessons) override {
    for (Lesson& lesson : lessons) {
      std::map<std::string, float> features = choice_features(*lesson.task, lesson.chain);
      // What the prior leaves to explain, up to a constant of the task that trees find by its size.
      const double residual = lesson.label + std::log(lesson.chain.draft.cycles);
      bases_.try_emplace(lesson.task, residual);
      labels_.push_back(static_cast<float>(residual - bases_.at(lesson.task)));
      weights_.push_back(static_cast<float>(std::exp(std::clamp(lesson.label, -3.0, 1.0))));
      rows_.push_back(std::move(features));
    }
    const auto count = static_cast<double>(rows_.size());
    if (rows_.size() >= fewest_lessons && count > worthwhile_growth * learned_) train();
  }

 private:
  void train() {
    columns_.clear();
    for (const auto& row : rows_)
      for (const auto& [name, value] : row) columns_.try_emplace(name, columns_.size());
    std::vector<float> values;
    for (const auto& row : rows_) append_row(row, values);
    Matrix lessons(values, rows_.size());
    lessons.set("label", labels_);
    lessons.set("weight", weights_);
    booster_ = std::make_unique<Booster>(lessons, seed_);
    learned_ = static_cast<double>(rows_.size());
  }

  /// One value per known column.
  void append_row(const std::map<std::string, float>& features, std::vector<float>& values) const {
    const std::size_t begin = values.size();
    values.resize(begin + columns_.size(), missing);
    for (const auto& [name, value] : features)
      if (const auto column = columns_.find(name); column != columns_.end())
        values[begin + column->second] = value;
  }

  std::uint64_t seed_;
  std::vector<std::map<std::string, float>> rows_;
  std::vector<float> labels_;
  std::vector<float> weights_;
  std::map<const Task*, double> bases_;  // what remains of each task's first lesson
  std::map<std::string, std::size_t> columns_;
  std::unique_ptr<Booster> booster_;
  double learned_ = 0;  // lessons in the last training
};

}  // namespace

std::unique_ptr<CostModel> gbdt_model(std::uint64_t seed) {
  return std::make_unique<GbdtModel>(seed);
}

}  // namespace tessera
