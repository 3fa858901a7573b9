#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

/// What Adam keeps beside the weights.
struct AdamState {
  std::int64_t steps = 0;
  std::vector<float> mean;    // of the gradients
  std::vector<float> square;  // mean of their squares
};

/// Makes a gradient that is longer than `longest` as long, in the same direction. It is finite.
void clip(std::span<float> gradient, double longest);

/// One step of Adam (Kingma and Ba 2015) with betas 0.9 and 0.999. Each weight has its own decay,
/// apart from the gradient (Loshchilov and Hutter 2019).
void adam_step(AdamState& state, std::span<float> weights, std::span<const float> gradient,
               std::span<const float> decay, double learning_rate);

}  // namespace tessera
