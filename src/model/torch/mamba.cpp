#include "model/torch/layers.h"
#include "model/torch/ranking_network.h"

#include <ATen/ops/exp.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softplus.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

constexpr std::int64_t narrow = 64;  // of the encoder and the head

at::Tensor root_mean_square_norm(const at::Tensor& x, const at::Tensor& weight) {
  return x * at::rsqrt((x * x).mean(1, true) + 1e-5) * weight;
}

/// So that softplus of it, dt at first, is drawn from 0.001 to 0.1, evenly on a logarithmic scale.
std::vector<float> dt_bias(std::int64_t channels, Rng& rng) {
  std::vector<float> bias;
  for (std::int64_t n = 0; n < channels; ++n) {
    const double dt = std::max(1e-3 * std::pow(100.0, rng.unit()), 1e-4);
    bias.push_back(static_cast<float>(dt + std::log(-std::expm1(-dt))));
  }
  return bias;
}

/// -1, -2, .. for the states of each channel, as A has it.
std::vector<float> a_log(std::int64_t channels, std::int64_t states) {
  std::vector<float> values;
  for (std::int64_t n = 0; n < channels * states; ++n)
    values.push_back(std::log(static_cast<float>(n % states + 1)));
  return values;
}

class Mamba final : public RankingNetwork {
 public:
  explicit Mamba(const RankerShape& shape)
      : shape_(shape),
        width_(shape.model_width),
        channels_(shape.expand * shape.model_width),
        dt_width_((shape.model_width + 15) / 16) {}

  Tensors initial_weights(Rng& rng) const override {
    WeightDraw draw(rng);
    draw.mlp("encoder", {static_cast<std::int64_t>(shape_.width), narrow, width_});
    for (std::int64_t n = 0; n < shape_.blocks; ++n) draw_block(prefix(n), draw);
    draw.mlp("head", {width_, width_, narrow, 1});
    return draw.take();
  }

  at::Tensor scores(const Weights& weights, const Packed& programs) const override {
    at::Tensor x = at::relu(mlp(weights, "encoder", 2, programs.rows));
    for (std::int64_t n = 0; n < shape_.blocks; ++n) {
      const at::Tensor normed = root_mean_square_norm(x, weights.at(prefix(n) + "norm.weight"));
      x = x + mixer(weights, prefix(n), normed, programs.starts);
    }
    if (shape_.read_out == "last") x = x.index_select(0, programs.starts.slice(0, 1) - 1);
    const at::Tensor judged = mlp(weights, "head", 3, x).squeeze(1);
    if (shape_.read_out == "last") return judged;
    const at::Tensor sum = sum_by_program(judged, programs);
    return shape_.read_out == "mean" ? sum / lengths(programs) : sum;
  }

 private:
  static std::string prefix(std::int64_t block) { return "blocks." + std::to_string(block) + "."; }

  void draw_block(const std::string& block, WeightDraw& draw) const {
    const auto bound = [](std::int64_t inputs) {
      return 1 / std::sqrt(static_cast<double>(inputs));
    };
    draw.filled(block + "norm.weight", {width_}, 1);
    draw.uniform(block + "in_proj.weight", {2 * channels_, width_}, bound(width_));
    draw.uniform(block + "conv.weight", {channels_, shape_.convolution}, bound(shape_.convolution));
    draw.uniform(block + "conv.bias", {channels_}, bound(shape_.convolution));
    draw.uniform(block + "x_proj.weight", {dt_width_ + 2 * shape_.states, channels_},
                 bound(channels_));
    draw.uniform(block + "dt_proj.weight", {channels_, dt_width_}, bound(dt_width_));
    draw.given(block + "dt_proj.bias", {channels_}, dt_bias(channels_, draw.rng()));
    draw.given(block + "A_log", {channels_, shape_.states}, a_log(channels_, shape_.states));
    draw.filled(block + "D", {channels_}, 1);
    draw.uniform(block + "out_proj.weight", {width_, channels_},
                 bound(channels_) * bound(shape_.blocks));
  }

  at::Tensor mixer(const Weights& weights, const std::string& block, const at::Tensor& h,
                   const at::Tensor& starts) const {
    const auto weight = [&](const char* name) { return weights.at(block + name); };
    // two products, so that each result lies by itself
    const std::vector<at::Tensor> in_proj = weight("in_proj.weight").split(channels_);
    const at::Tensor z = at::linear(h, in_proj[1]);
    const at::Tensor x = at::silu(causal_convolution(
        at::linear(h, in_proj[0]), weight("conv.weight"), weight("conv.bias"), starts));
    const std::vector<at::Tensor> parts =
        at::linear(x, weight("x_proj.weight"))
            .split_with_sizes({dt_width_, shape_.states, shape_.states}, 1);
    const at::Tensor dt = at::softplus(linear(weights, block + "dt_proj", parts[0]));
    const at::Tensor y =
        selective_scan(dt, -at::exp(weight("A_log")), parts[1], parts[2], weight("D"), x, starts);
    return at::linear(y * at::silu(z), weight("out_proj.weight"));
  }

  RankerShape shape_;
  std::int64_t width_;
  std::int64_t channels_;
  std::int64_t dt_width_;
};

}  // namespace

std::unique_ptr<RankingNetwork> mamba(const RankerShape& shape) {
  return std::make_unique<Mamba>(shape);
}

bool decays(const std::string& weight) {
  const std::string_view last = std::string_view(weight).substr(weight.rfind('.') + 1);
  return last != "A_log" && last != "D";
}

}  // namespace tessera
