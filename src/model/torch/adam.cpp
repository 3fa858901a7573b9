#include "model/torch/adam.h"

#include "base/check.h"

#include <cmath>

namespace tessera {

void clip(std::span<float> gradient, double longest) {
  double squares = 0;
  for (const float slope : gradient) squares += static_cast<double>(slope) * slope;
  const double length = std::sqrt(squares);
  check(std::isfinite(length), "a finite gradient");
  if (length <= longest) return;
  const auto factor = static_cast<float>(longest / length);
  for (float& slope : gradient) slope *= factor;
}

void adam_step(AdamState& state, std::span<float> weights, std::span<const float> gradient,
               std::span<const float> decay, double learning_rate) {
  constexpr float mean_beta = 0.9f;
  constexpr float square_beta = 0.999f;
  constexpr float epsilon = 1e-8f;
  ++state.steps;
  const auto steps = static_cast<double>(state.steps);
  const auto rate =
      static_cast<float>(learning_rate / (1 - std::pow(static_cast<double>(mean_beta), steps)));
  const auto correction =
      static_cast<float>(1 / std::sqrt(1 - std::pow(static_cast<double>(square_beta), steps)));
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const float slope = gradient[n];
    float& mean = state.mean[n];
    float& square = state.square[n];
    mean = mean_beta * mean + (1 - mean_beta) * slope;
    square = square_beta * square + (1 - square_beta) * slope * slope;
    weights[n] -= static_cast<float>(learning_rate) * decay[n] * weights[n];
    weights[n] -= rate * mean / (std::sqrt(square) * correction + epsilon);
  }
}

}  // namespace tessera
