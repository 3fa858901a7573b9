#include "model/torch/layers.h"
#include "model/torch/ranking_network.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

namespace tessera {
namespace {

constexpr std::int64_t inner_width = 256;
constexpr std::int64_t attention_heads = 8;
constexpr std::int64_t head_width = inner_width / attention_heads;

/// Where rows lie when all programs are as long as the longest.
struct Padding {
  explicit Padding(const Packed& packed) : programs(packed.programs()) {
    const at::Tensor all_lengths = lengths(packed);
    const at::Tensor owner = owners(packed);
    steps = all_lengths.max().item<std::int64_t>();
    const at::Tensor row = at::arange(packed.of_steps.size(0), at::kLong);
    place = owner * steps + row - packed.starts.index_select(0, owner);
    is_empty = at::arange(steps, at::kLong) >= all_lengths.unsqueeze(1);
  }

  at::Tensor padded(const at::Tensor& rows) const {
    return at::zeros({programs * steps, rows.size(1)}, rows.options()).index_copy(0, place, rows);
  }
  at::Tensor packed(const at::Tensor& padded) const { return padded.index_select(0, place); }

  std::int64_t programs;
  std::int64_t steps;
  at::Tensor place;     // of each row
  at::Tensor is_empty;  // programs x steps
};

/// Between the steps of each program, of which `rows` are the distinct ones; no step looks at
/// padding.
at::Tensor attention(const Weights& weights, const Packed& programs, const at::Tensor& rows) {
  const Padding padding(programs);
  const at::Tensor projected =
      spread_to_steps(linear(weights, "attention.in_proj", rows), programs);
  const std::vector<at::Tensor> parts =
      padding.padded(projected)
          .view({padding.programs, padding.steps, 3, attention_heads, head_width})
          .permute({2, 0, 3, 1, 4})  // query, key and value; programs; heads; steps
          .unbind(0);
  at::Tensor match =
      at::matmul(parts[0], parts[1].transpose(2, 3)) / std::sqrt(static_cast<double>(head_width));
  match = match.masked_fill(padding.is_empty.unsqueeze(1).unsqueeze(1),
                            -std::numeric_limits<float>::infinity());
  const at::Tensor seen = at::matmul(at::softmax(match, 3), parts[2])
                              .transpose(1, 2)
                              .reshape({padding.programs * padding.steps, inner_width});
  return linear(weights, "attention.out_proj", padding.packed(seen));
}

class Tlp final : public RankingNetwork {
 public:
  explicit Tlp(const RankerShape& shape)
      : width_(static_cast<std::int64_t>(shape.width)), decoders_(shape.heads) {}

  Tensors initial_weights(Rng& rng) const override {
    WeightDraw draw(rng);
    draw.mlp("encoder", {width_, 64, 128, inner_width, inner_width});
    // Glorot, as PyTorch draws attention
    draw.uniform("attention.in_proj.weight", {3 * inner_width, inner_width},
                 std::sqrt(6.0 / (4 * inner_width)));
    draw.filled("attention.in_proj.bias", {3 * inner_width}, 0);
    draw.uniform("attention.out_proj.weight", {inner_width, inner_width},
                 1 / std::sqrt(double{inner_width}));
    draw.filled("attention.out_proj.bias", {inner_width}, 0);
    draw.linear("residual.0", inner_width, inner_width);
    draw.linear("residual.1", inner_width, inner_width);
    for (std::int64_t n = 0; n < decoders_; ++n)
      draw.mlp(decoder(n), {inner_width, inner_width, 128, 64, 1});
    return draw.take();
  }

  Output judge(const Weights& weights, const Packed& programs) const override {
    const at::Tensor rows = at::relu(mlp(weights, "encoder", 4, programs.rows));
    at::Tensor x = spread_to_steps(rows, programs) + attention(weights, programs, rows);
    x = residual(weights, "residual.0", x);
    x = residual(weights, "residual.1", x);
    return {.scores = sum_by_program(decoded(weights, programs, x), programs), .features = {}};
  }

 private:
  static std::string decoder(std::int64_t head) {
    return head == 0 ? "decoder" : "decoder" + std::to_string(head);
  }

  /// A number for each step, by the head of its program.
  at::Tensor decoded(const Weights& weights, const Packed& programs, const at::Tensor& x) const {
    if (decoders_ == 1) return mlp(weights, decoder(0), 4, x).squeeze(1);
    const at::Tensor heads = programs.heads.index_select(0, owners(programs));
    at::Tensor all = at::zeros({x.size(0)}, x.options());
    for (std::int64_t n = 0; n < decoders_; ++n) {
      const at::Tensor steps = (heads == n).nonzero().squeeze(1);
      if (steps.size(0) == 0) continue;
      all = all.index_copy(0, steps,
                           mlp(weights, decoder(n), 4, x.index_select(0, steps)).squeeze(1));
    }
    return all;
  }

  std::int64_t width_;
  std::int64_t decoders_;
};

}  // namespace

std::unique_ptr<RankingNetwork> tlp(const RankerShape& shape) {
  return std::make_unique<Tlp>(shape);
}

}  // namespace tessera
