#include "model/torch/layers.h"
#include "model/torch/ranking_network.h"

#include <ATen/core/grad_mode.h>
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
constexpr std::int64_t adapter_width = 16;

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

  bool is_causal() const override { return true; }

  Output judge(const Weights& weights, const Packed& programs) const override {
    return through(weights, programs, nullptr).output;
  }

  /// What the network has computed on its way.
  struct Trace {
    at::Tensor encoded;        // of rows
    at::Tensor mixed, judged;  // of steps
    Output output = {};
  };
  /// With adapters to a base where there is one.
  Trace through(const Weights& weights, const Packed& programs, const Trace* base) const {
    const auto adapted = [&](const at::Tensor& h, const char* adapter,
                             at::Tensor Trace::* of_base) {
      return base == nullptr ? h : h + adapter_of(weights, adapter, base->*of_base);
    };
    Trace trace;
    trace.encoded =
        adapted(at::relu(mlp(weights, "encoder", 2, programs.rows)), "adapter.0.", &Trace::encoded);
    const at::Tensor& encoded = trace.encoded;
    Projected first = project(weights, prefix(0), encoded);
    first.x = spread_to_steps(first.x, programs);
    first.gate = spread_to_steps(first.gate, programs);
    at::Tensor x = spread_to_steps(encoded, programs);
    x = x + mixer(weights, prefix(0), first, programs);
    for (std::int64_t n = 1; n < shape_.blocks; ++n)
      x = x + mixer(weights, prefix(n), project(weights, prefix(n), x), programs);
    trace.mixed = adapted(x, "adapter.1.", &Trace::mixed);
    trace.judged =
        adapted(at::relu(linear(weights, "head.0", trace.mixed)), "adapter.2.", &Trace::judged);
    const at::Tensor seen = at::relu(linear(weights, "head.2", trace.judged));
    trace.output.features = read_out(seen, programs);
    const at::Tensor& bias = weights.at("head.4.bias");
    trace.output.scores =
        at::linear(trace.output.features, weights.at("head.4.weight")).squeeze(1) +
        (shape_.read_out == "sum" ? bias * lengths(programs) : bias);
    return trace;
  }

  void draw_adapters(WeightDraw& draw) const {
    for (const char* adapter : {"adapter.0.", "adapter.1.", "adapter.2."}) {
      draw.linear(std::string(adapter) + "V", width_, adapter_width);
      draw.filled(std::string(adapter) + "U.weight", {width_, adapter_width}, 0);
      draw.filled(std::string(adapter) + "alpha", {width_}, 0.1F);
    }
  }

 private:
  static at::Tensor adapter_of(const Weights& weights, const std::string& name,
                               const at::Tensor& of_base) {
    const at::Tensor narrowed = at::relu(linear(weights, name + "V", of_base));
    return weights.at(name + "alpha") * at::linear(narrowed, weights.at(name + "U.weight"));
  }

  at::Tensor read_out(const at::Tensor& steps, const Packed& programs) const {
    if (shape_.read_out == "last") return steps.index_select(0, ends(programs));
    const at::Tensor sum = sum_by_program(steps, programs);
    return shape_.read_out == "mean" ? sum / lengths(programs).unsqueeze(1) : sum;
  }

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

  /// What a block needs of each step by itself.
  struct Projected {
    at::Tensor x, gate;
  };

  Projected project(const Weights& weights, const std::string& block, const at::Tensor& h) const {
    const at::Tensor normed = root_mean_square_norm(h, weights.at(block + "norm.weight"));
    // two products, so that each result lies by itself
    const std::vector<at::Tensor> in_proj = weights.at(block + "in_proj.weight").split(channels_);
    return {.x = at::linear(normed, in_proj[0]), .gate = at::silu(at::linear(normed, in_proj[1]))};
  }

  at::Tensor mixer(const Weights& weights, const std::string& block, const Projected& projected,
                   const Packed& programs) const {
    const auto weight = [&](const char* name) { return weights.at(block + name); };
    const at::Tensor x = at::silu(
        causal_convolution(projected.x, weight("conv.weight"), weight("conv.bias"), programs));
    const std::vector<at::Tensor> parts =
        at::linear(x, weight("x_proj.weight"))
            .split_with_sizes({dt_width_, shape_.states, shape_.states}, 1);
    const at::Tensor dt = at::softplus(linear(weights, block + "dt_proj", parts[0]));
    const at::Tensor y =
        selective_scan(dt, -at::exp(weight("A_log")), parts[1], parts[2], weight("D"), x, programs);
    return at::linear(y * projected.gate, weight("out_proj.weight"));
  }

  RankerShape shape_;
  std::int64_t width_;
  std::int64_t channels_;
  std::int64_t dt_width_;
};

class Column final : public RankingNetwork {
 public:
  Column(const RankerShape& shape, Weights base) : mamba_(shape), base_(std::move(base)) {}

  Tensors initial_weights(Rng& rng) const override {
    Tensors weights = mamba_.initial_weights(rng);  // for names and shapes
    for (NamedTensor& weight : weights) {
      const at::Tensor& of_base = base_.at(weight.name);
      weight.values.assign(of_base.data_ptr<float>(), of_base.data_ptr<float>() + of_base.numel());
    }
    WeightDraw draw(rng);
    mamba_.draw_adapters(draw);
    for (NamedTensor& weight : draw.take()) weights.push_back(std::move(weight));
    return weights;
  }

  bool is_causal() const override { return true; }

  Output judge(const Weights& weights, const Packed& programs) const override {
    Mamba::Trace base;
    {
      const at::NoGradGuard without_gradients;
      base = mamba_.through(base_, programs, nullptr);
    }
    return mamba_.through(weights, programs, &base).output;
  }

 private:
  Mamba mamba_;
  Weights base_;
};

}  // namespace

std::unique_ptr<RankingNetwork> column(const RankerShape& shape, Weights base) {
  return std::make_unique<Column>(shape, std::move(base));
}

std::unique_ptr<RankingNetwork> mamba(const RankerShape& shape) {
  return std::make_unique<Mamba>(shape);
}

bool decays(const std::string& weight) {
  const std::string_view last = std::string_view(weight).substr(weight.rfind('.') + 1);
  return last != "A_log" && last != "D";
}

}  // namespace tessera
