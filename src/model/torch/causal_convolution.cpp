#include "model/torch/causal_convolution.h"

#include <algorithm>
#include <vector>

namespace tessera {
namespace {

/// Calls `f(k, t, from)` for each tap k of each step t that reads a step `from` of its path.
template <typename T, typename F>
void for_each_tap(const ConvolutionInput<T>& input, const F& f) {
  const Branches& branches = input.branches;
  std::vector<std::int64_t> path;
  for (std::size_t n = 0; n < branches.size(); ++n) {
    path.resize(static_cast<std::size_t>(branches.depths[n]));
    for (std::int64_t t = branches.starts[n]; t < branches.starts[n + 1]; ++t) {
      path.push_back(t);
      const std::int64_t seen = std::min(input.taps, std::ssize(path));
      const std::int64_t* const from = path.data() + std::ssize(path) - seen;
      for (std::int64_t k = 0; k < seen; ++k) f(input.taps - seen + k, t, from[k]);
    }
  }
}

}  // namespace

template <typename T>
void convolution_forward(const ConvolutionInput<T>& input, Matrix<T> y) {
  for (std::int64_t t = input.branches.starts.front(); t < input.branches.starts.back(); ++t)
    std::copy_n(input.bias, input.channels, y.row(t));
  for_each_tap(input, [&](std::int64_t k, std::int64_t t, std::int64_t from) {
    const T* weight = input.weight.row(k);
    const T* x = input.x.row(from);
    T* sum = y.row(t);
#pragma omp simd
    for (std::int64_t c = 0; c < input.channels; ++c) sum[c] += weight[c] * x[c];
  });
}

template <typename T>
void convolution_backward(const ConvolutionInput<T>& input, Matrix<const T> y_gradient,
                          const ConvolutionGradient<T>& gradient) {
  for (std::int64_t t = input.branches.starts.front(); t < input.branches.starts.back(); ++t) {
    std::fill_n(gradient.x.row(t), input.channels, T(0));
    const T* dy = y_gradient.row(t);
#pragma omp simd
    for (std::int64_t c = 0; c < input.channels; ++c) gradient.bias[c] += dy[c];
  }
  for_each_tap(input, [&](std::int64_t k, std::int64_t t, std::int64_t from) {
    const T* weight = input.weight.row(k);
    const T* x = input.x.row(from);
    const T* dy = y_gradient.row(t);
    T* dx = gradient.x.row(from);
    T* dweight = gradient.weight.row(k);
#pragma omp simd
    for (std::int64_t c = 0; c < input.channels; ++c) {
      dx[c] += weight[c] * dy[c];
      dweight[c] += x[c] * dy[c];
    }
  });
}

template void convolution_forward(const ConvolutionInput<float>&, Matrix<float>);
template void convolution_forward(const ConvolutionInput<double>&, Matrix<double>);
template void convolution_backward(const ConvolutionInput<float>&, Matrix<const float>,
                                   const ConvolutionGradient<float>&);
template void convolution_backward(const ConvolutionInput<double>&, Matrix<const double>,
                                   const ConvolutionGradient<double>&);

}  // namespace tessera
