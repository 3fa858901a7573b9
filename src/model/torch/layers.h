#pragma once

#include "base/rng.h"
#include "model/torch/ranking_network.h"

#include <string>
#include <vector>

namespace tessera {

/// Draws weights, one behind the other.
class WeightDraw {
 public:
  explicit WeightDraw(Rng& rng) : rng_(rng) {}

  /// Uniform in +-bound.
  void uniform(const std::string& name, std::vector<std::int64_t> shape, double bound);
  void filled(const std::string& name, std::vector<std::int64_t> shape, float value);
  void given(const std::string& name, std::vector<std::int64_t> shape, std::vector<float> values);
  /// `name.weight`, out x in, and `name.bias`, in +-1/sqrt(in).
  void linear(const std::string& name, std::int64_t in, std::int64_t out);
  /// Linear layers `name.0`, `name.2`, .. between these widths; activations have the odd numbers.
  void mlp(const std::string& name, const std::vector<std::int64_t>& widths);

  Rng& rng() { return rng_; }
  Tensors take() { return std::move(weights_); }

 private:
  Rng& rng_;
  Tensors weights_;
};

at::Tensor linear(const Weights& weights, const std::string& name, const at::Tensor& x);
/// Linear layers `name.0`, `name.2`, .. with ReLU between them.
at::Tensor mlp(const Weights& weights, const std::string& name, int layers, at::Tensor x);
/// x + ReLU(linear(x))
at::Tensor residual(const Weights& weights, const std::string& name, const at::Tensor& x);

}  // namespace tessera
