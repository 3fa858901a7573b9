#include "pick/committee.h"

#include "base/check.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

namespace tessera {
namespace {

constexpr double regularisation = 1e-2;  // of the mean square of a feature

/// How often a program is drawn when as many are drawn as there are: nearly Poisson's of mean 1.
int draws(Rng& rng) {
  double left = rng.unit(), share = 0.36787944117144233;
  int count = 0;
  for (; left >= share && count < 8; ++count) {
    left -= share;
    share /= count + 1;
  }
  return count;
}

/// The sums that least squares needs.
struct Sums {
  Eigen::MatrixXd squares;
  Eigen::VectorXd products;
};

/// Adds what one draw of a task's evidence tells, without its means.
void add(const Evidence& evidence, Rng& rng, Sums& sums) {
  const auto count = static_cast<Eigen::Index>(evidence.labels.size());
  const auto width = static_cast<Eigen::Index>(evidence.features.width);
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd features =
      Eigen::Map<const Rows>(evidence.features.values.data(), count, width).cast<double>();
  const Eigen::VectorXd labels =
      Eigen::Map<const Eigen::VectorXf>(evidence.labels.data(), count).cast<double>();
  Eigen::VectorXd weights(count);
  for (double& weight : weights) weight = draws(rng);
  if (weights.sum() < 2) return;
  const Eigen::RowVectorXd mean = weights.transpose() * features / weights.sum();
  const Eigen::MatrixXd centred = features.rowwise() - mean;
  const double mean_label = weights.dot(labels) / weights.sum();
  const Eigen::MatrixXd weighted = weights.asDiagonal() * centred;
  sums.squares += centred.transpose() * weighted;
  sums.products += weighted.transpose() * (labels.array() - mean_label).matrix();
}

}  // namespace

Evidence evidence_of(const Points& features, const std::vector<bool>& is_measured,
                     std::span<const float> labels) {
  Evidence evidence{.features = {.width = features.width, .values = {}}, .labels = {}};
  for (std::size_t n = 0; n < is_measured.size(); ++n) {
    if (!is_measured[n]) continue;
    const std::span<const float> feature = features.of(n);
    evidence.features.values.insert(evidence.features.values.end(), feature.begin(), feature.end());
    evidence.labels.push_back(labels[n]);
  }
  const float best = evidence.labels.empty() ? 0 : std::ranges::max(evidence.labels);
  if (best > 0)
    for (float& label : evidence.labels) label /= best;
  return evidence;
}

Committee Committee::teach(const std::vector<Evidence>& evidence, std::size_t heads, Rng& rng) {
  check(!evidence.empty(), "evidence of a task");
  const auto width = static_cast<Eigen::Index>(evidence.front().features.width);
  Committee committee;
  for (std::size_t n = 0; n < heads; ++n) {
    Sums sums{Eigen::MatrixXd::Zero(width, width), Eigen::VectorXd::Zero(width)};
    for (const Evidence& one : evidence) add(one, rng, sums);
    const double scale = sums.squares.trace() / static_cast<double>(width);
    sums.squares.diagonal().array() += regularisation * scale + 1e-12;
    const Eigen::VectorXf head = sums.squares.ldlt().solve(sums.products).cast<float>();
    committee.heads_.emplace_back(head.begin(), head.end());
  }
  return committee;
}

std::vector<std::vector<float>> Committee::votes(const Points& features) const {
  std::vector<std::vector<float>> all;
  for (const std::vector<float>& head : heads_) {
    std::vector<float>& vote = all.emplace_back();
    for (std::size_t n = 0; n < features.size(); ++n) {
      float sum = 0;
      for (std::size_t k = 0; k < head.size(); ++k) sum += head[k] * features.of(n)[k];
      vote.push_back(sum);
    }
  }
  return all;
}

}  // namespace tessera
