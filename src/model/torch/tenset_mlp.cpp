#include "model/torch/layers.h"
#include "model/torch/ranking_network.h"

#include <ATen/ops/relu.h>

namespace tessera {
namespace {

class TensetMlp final : public RankingNetwork {
 public:
  explicit TensetMlp(const RankerShape& shape) : width_(static_cast<std::int64_t>(shape.width)) {}

  Tensors initial_weights(Rng& rng) const override {
    WeightDraw draw(rng);
    draw.mlp("encoder", {width_, 256, 256});
    draw.linear("residual.0", 256, 256);
    draw.linear("residual.1", 256, 256);
    draw.linear("decoder", 256, 1);
    return draw.take();
  }

  Output judge(const Weights& weights, const Packed& programs) const override {
    at::Tensor x = at::relu(mlp(weights, "encoder", 2, programs.rows));
    x = sum_by_program(spread_to_steps(x, programs), programs);
    x = residual(weights, "residual.0", x);
    x = residual(weights, "residual.1", x);
    return {.scores = linear(weights, "decoder", x).squeeze(1), .features = x};
  }

 private:
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<RankingNetwork> tenset_mlp(const RankerShape& shape) {
  return std::make_unique<TensetMlp>(shape);
}

}  // namespace tessera
