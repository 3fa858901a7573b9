#include "learn/distil.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {
namespace {

constexpr float sharpness = 2;  // of the softmax over standardised scores
constexpr float least_deviation = 1e-6F;

struct Standardised {
  std::vector<float> values;
  float deviation = 0;
};

Standardised standardised(std::span<const float> scores) {
  const auto count = static_cast<float>(scores.size());
  const float mean = std::accumulate(scores.begin(), scores.end(), 0.0F) / count;
  float square = 0;
  for (const float score : scores) square += (score - mean) * (score - mean) / count;
  Standardised result{.values = {}, .deviation = std::sqrt(square)};
  const float scale = 1 / std::max(result.deviation, least_deviation);
  for (const float score : scores) result.values.push_back((score - mean) * scale);
  return result;
}

std::vector<float> softmax(std::span<const float> values) {
  const float largest = std::ranges::max(values);
  std::vector<float> shares;
  for (const float value : values) shares.push_back(std::exp(sharpness * (value - largest)));
  const float sum = std::accumulate(shares.begin(), shares.end(), 0.0F);
  for (float& share : shares) share /= sum;
  return shares;
}

}  // namespace

ListLoss imitation_loss(std::span<const float> scores, std::span<const float> teacher) {
  check(scores.size() == teacher.size(), "scores of the same programs");
  ListLoss loss{.loss = 0, .gradient = std::vector<float>(scores.size())};
  if (scores.size() < 2) return loss;
  const Standardised wanted = standardised(teacher);
  if (wanted.deviation <= least_deviation) return loss;
  const Standardised got = standardised(scores);
  const std::vector<float> p = softmax(wanted.values), q = softmax(got.values);
  const auto count = static_cast<float>(scores.size());
  std::vector<float> slope;  // by the standardised scores
  for (std::size_t n = 0; n < scores.size(); ++n) {
    const float off = got.values[n] - wanted.values[n];
    if (p[n] > 0) loss.loss += p[n] * std::log(p[n] / std::max(q[n], 1e-30F));
    loss.loss += off * off / count;
    slope.push_back(sharpness * (q[n] - p[n]) + 2 * off / count);
  }
  // through mean and deviation
  const float mean = std::accumulate(slope.begin(), slope.end(), 0.0F) / count;
  const float along =
      std::inner_product(slope.begin(), slope.end(), got.values.begin(), 0.0F) / count;
  const float scale = 1 / std::max(got.deviation, least_deviation);
  for (std::size_t n = 0; n < scores.size(); ++n)
    loss.gradient[n] = scale * (slope[n] - mean - got.values[n] * along);
  return loss;
}

ListLoss feature_loss(std::span<const float> features, std::span<const float> teacher,
                      std::size_t width) {
  check(features.size() == teacher.size(), "features of the same programs");
  const std::size_t programs = features.size() / width;
  ListLoss loss{.loss = 0,
                .gradient = std::vector<float>(programs),
                .feature_gradient = std::vector<float>(features.size())};
  for (std::size_t n = 0; n < programs; ++n) {
    const auto own = features.subspan(n * width, width), other = teacher.subspan(n * width, width);
    const float product = std::inner_product(own.begin(), own.end(), other.begin(), 0.0F);
    const float length = std::sqrt(std::inner_product(own.begin(), own.end(), own.begin(), 0.0F));
    const float other_length =
        std::sqrt(std::inner_product(other.begin(), other.end(), other.begin(), 0.0F));
    if (length == 0 || other_length == 0) continue;
    const float cosine = product / (length * other_length);
    const auto share = 1 / static_cast<float>(programs);
    loss.loss += share * (1 - cosine);
    for (std::size_t k = 0; k < width; ++k)
      loss.feature_gradient[n * width + k] =
          -share * (other[k] / (length * other_length) - cosine * own[k] / (length * length));
  }
  return loss;
}

double agreement(std::span<const float> scores, std::span<const float> labels) {
  double sum = 0, pairs = 0;
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (labels[a] == labels[b]) continue;
      ++pairs;
      if (scores[a] != scores[b])
        sum += (scores[a] > scores[b]) == (labels[a] > labels[b]) ? 1 : -1;
    }
  return pairs > 0 ? sum / pairs : 1;
}

ListLoss plus(ListLoss loss, const ListLoss& more, float weight) {
  loss.loss += static_cast<double>(weight) * more.loss;
  const auto add = [&](std::vector<float>& to, const std::vector<float>& from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (std::size_t n = 0; n < from.size(); ++n) to[n] += weight * from[n];
  };
  add(loss.gradient, more.gradient);
  add(loss.feature_gradient, more.feature_gradient);
  return loss;
}

}  // namespace tessera
