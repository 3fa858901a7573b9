#pragma once

#include "model/torch/branches.h"

namespace tessera {

/// Each channel by itself, over the steps of a path up to the current one; before it all is zero:
///
///     y_t[c] = bias[c] + sum over k of weight[k, c] x_{t-K+1+k}[c]
template <typename T>
struct ConvolutionInput {
  Branches branches;
  std::int64_t channels = 0;
  std::int64_t taps = 0;   // K
  Matrix<const T> x;       // rows of channels
  Matrix<const T> weight;  // a row of channels for each tap
  const T* bias = nullptr;
};

/// The gradient by what goes in; `weight` and `bias` are added to.
template <typename T>
struct ConvolutionGradient {
  Matrix<T> x, weight;
  T* bias = nullptr;
};

/// For float and double.
template <typename T>
void convolution_forward(const ConvolutionInput<T>& input, Matrix<T> y);

template <typename T>
void convolution_backward(const ConvolutionInput<T>& input, Matrix<const T> y_gradient,
                          const ConvolutionGradient<T>& gradient);

}  // namespace tessera
