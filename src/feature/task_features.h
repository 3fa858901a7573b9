#pragma once

#include "schedule/schedule.h"

#include <array>

namespace tessera::statement {

inline constexpr std::size_t task_width = 10;

/// What occurs in a task, 1 or 0 each. TenSet looks for words in the text of a task; here the
/// structure decides:
///   max, min          of floating-point numbers, by an operator or a reducer
///   add               a sum in a stage without reduction
///   conv2d            sums of products over windows, or pointwise ones of images (four dimensions)
///   conv2d_winograd   instead of conv2d, when the program computes it so
///   depthwise_conv2d  over windows, without a sum over channels
///   dense             other sums of products
///   softmax           exp, and reductions by max and sum
///   batch_matmul      products of which both sides have a common spatial axis
///   -                 always 0, as in TenSet
std::array<float, task_width> task_features(const Task& task, const Program& program);

}  // namespace tessera::statement
