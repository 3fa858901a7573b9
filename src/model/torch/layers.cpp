#include "model/torch/layers.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

std::size_t count(const std::vector<std::int64_t>& shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies()));
}

}  // namespace

void WeightDraw::uniform(const std::string& name, std::vector<std::int64_t> shape, double bound) {
  std::vector<float> values(count(shape));
  for (float& value : values) value = static_cast<float>(bound * (2 * rng_.unit() - 1));
  given(name, std::move(shape), std::move(values));
}

void WeightDraw::filled(const std::string& name, std::vector<std::int64_t> shape, float value) {
  std::vector<float> values(count(shape), value);
  given(name, std::move(shape), std::move(values));
}

void WeightDraw::given(const std::string& name, std::vector<std::int64_t> shape,
                       std::vector<float> values) {
  weights_.push_back({name, std::move(shape), std::move(values)});
}

void WeightDraw::linear(const std::string& name, std::int64_t in, std::int64_t out) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  uniform(name + ".weight", {out, in}, bound);
  uniform(name + ".bias", {out}, bound);
}

void WeightDraw::mlp(const std::string& name, const std::vector<std::int64_t>& widths) {
  for (std::size_t n = 0; n + 1 < widths.size(); ++n)
    linear(name + "." + std::to_string(2 * n), widths[n], widths[n + 1]);
}

at::Tensor linear(const Weights& weights, const std::string& name, const at::Tensor& x) {
  return at::linear(x, weights.at(name + ".weight"), weights.at(name + ".bias"));
}

at::Tensor mlp(const Weights& weights, const std::string& name, int layers, at::Tensor x) {
  for (int n = 0; n < layers; ++n) {
    if (n > 0) x = at::relu_(x);
    x = linear(weights, name + "." + std::to_string(2 * n), x);
  }
  return x;
}

at::Tensor residual(const Weights& weights, const std::string& name, const at::Tensor& x) {
  at::Tensor change = linear(weights, name, x);
  return x + at::relu_(change);
}

}  // namespace tessera
