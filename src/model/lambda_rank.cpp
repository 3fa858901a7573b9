#include "model/lambda_rank.h"

#include "base/check.h"
#include "model/decay.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace tessera {
namespace {

/// Places of the numbers, the largest first.
std::vector<std::size_t> descending(std::span<const float> numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return numbers[a] > numbers[b]; });
  return order;
}

float discount(std::size_t position) {
  return 1.0f / std::log2(1.0f + static_cast<float>(position));
}

/// ln(1 + e) for e in [0, 1]: the series of 2 artanh(e / (2 + e)), with a relative error below
/// 2e-7.
float log_of_one_plus(float e) {
  const float z = e / (2.0f + e);
  const float z2 = z * z;
  float sum = 1.0f / 11;
  for (const float term : {1.0f / 9, 1.0f / 7, 1.0f / 5, 1.0f / 3, 1.0f}) sum = sum * z2 + term;
  return 2.0f * z * sum;
}

/// A list by descending label, so that a program comes before those that it should beat.
struct List {
  explicit List(std::size_t size) : score(size), gain(size), discount(size), gradient(size) {}
  std::vector<float> score, gain, discount, gradient;
};

/// The loss of the pairs of `i` and those behind it, in nats; adds its gradient. Pairs of equal
/// labels weigh nothing.
float pairs_loss(List& list, std::size_t i) {
  const float score = list.score[i];
  const float gain = list.gain[i];
  const float place = list.discount[i];
  const float* scores = list.score.data();
  const float* gains = list.gain.data();
  const float* discounts = list.discount.data();
  float* gradient = list.gradient.data();
  const std::size_t size = list.score.size();
  float loss = 0;
  float pull = 0;
#pragma omp simd reduction(+ : loss, pull)
  for (std::size_t j = i + 1; j < size; ++j) {
    const float weight = std::abs(place - discounts[j]) * (gain - gains[j]);
    const float lead = score - scores[j];
    const float e = decay(-std::abs(lead));
    const float share = weight / (1.0f + e) * (lead > 0 ? e : 1.0f);
    loss += weight * (std::max(-lead, 0.0f) + log_of_one_plus(e));
    pull += share;
    gradient[j] += share;
  }
  list.gradient[i] -= pull;
  return loss;
}

}  // namespace

ListLoss lambda_rank(std::span<const float> scores, std::span<const float> labels) {
  check(scores.size() == labels.size(), "a label for each score");
  const std::size_t size = scores.size();
  std::vector<float> discounts(size);
  const std::vector<std::size_t> by_score = descending(scores);
  for (std::size_t n = 0; n < size; ++n) discounts[by_score[n]] = discount(n + 1);

  const std::vector<std::size_t> by_label = descending(labels);
  List list(size);
  double best = 0;  // maxDCG
  for (std::size_t n = 0; n < size; ++n) {
    const std::size_t place = by_label[n];
    list.score[n] = scores[place];
    list.discount[n] = discounts[place];
    list.gain[n] = std::exp2(labels[place]) - 1.0f;
    best += list.gain[n] * discount(n + 1);
  }

  ListLoss result{.gradient = std::vector<float>(size)};
  if (best <= 0) return result;
  for (std::size_t i = 0; i < size; ++i) result.loss += pairs_loss(list, i);
  const double scale = std::numbers::log2e / best;
  result.loss *= scale;
  for (std::size_t n = 0; n < size; ++n)
    result.gradient[by_label[n]] = static_cast<float>(list.gradient[n] * scale);
  return result;
}

}  // namespace tessera
