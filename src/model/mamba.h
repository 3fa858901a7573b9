#pragma once

#include "base/result.h"
#include "model/linear_layer.h"
#include "model/prefix_tree.h"
#include "model/trained_ranker.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// Scores of a trained `mamba`, without LibTorch; `model/torch/ranking_network.h` has its formulas.
/// Rows that programs begin with alike are computed once.
class Mamba {
 public:
  /// Refuses weights that are not those of the shape.
  static Result<Mamba> make(const TrainedRanker& trained);

  /// Here and below each program has a row at least.
  std::vector<float> score(const Rows& programs, std::size_t threads) const;
  /// What the last layer sees of each program, `feature_width` numbers: programs that are alike to
  /// this network have like ones.
  std::vector<float> features(const Rows& programs, std::size_t threads) const;
  std::size_t feature_width() const { return last_weight_.size(); }
  /// By features that are known.
  std::vector<float> score_of(const Rows& programs, std::span<const float> features) const;

 private:
  struct Block {
    std::vector<float> norm;
    LinearLayer in_proj, x_proj, dt_proj, out_proj;
    std::vector<float> convolution;  // steps x channels, the last one for the present
    std::vector<float> convolution_bias;
    std::vector<float> a;  // in scan blocks
    std::vector<float> d;
  };
  class Walk;

  Mamba() = default;
  /// Of programs that follow each other in walking order.
  void add_features(const Rows& programs, std::span<const std::size_t> order,
                    std::vector<float>& all) const;

  RankerShape shape_;
  std::size_t width_ = 0;     // of the model
  std::size_t channels_ = 0;  // of a block
  std::size_t states_ = 0;
  std::size_t steps_ = 0;  // of the convolution
  std::size_t dt_width_ = 0;
  std::vector<float> inverse_scales_;
  std::vector<LinearLayer> encoder_, head_;  // the head without its last layer
  std::vector<float> last_weight_;
  float last_bias_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace tessera
