#pragma once

#include "base/rng.h"
#include "model/ranker.h"
#include "model/torch/packed.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace tessera {

/// By the names that they have in files.
using Weights = std::map<std::string, at::Tensor, std::less<>>;

/// What a Ranker computes. It has no numbers of its own, so that threads can share it.
class RankingNetwork {
 public:
  virtual ~RankingNetwork() = default;
  /// All weights, in the order of files, as they are before the first lesson.
  virtual Tensors initial_weights(Rng& rng) const = 0;
  /// What it computes of a step hangs on that and on those before it alone, so that programs that
  /// begin alike share steps.
  virtual bool is_causal() const { return false; }
  struct Output {
    at::Tensor scores;    // one for each program
    at::Tensor features;  // programs x width, what the last layer sees; may be undefined
  };
  virtual Output judge(const Weights& weights, const Packed& programs) const = 0;
};

/// TenSet's (Zheng et al. 2021): statements are summed before they are judged.
///
///     rows --encoder: width-256-256--> sum of the rows --residual.0, residual.1--> decoder: 256-1
std::unique_ptr<RankingNetwork> tenset_mlp(const RankerShape& shape);

/// TLP's (Zhai et al. 2023): self-attention of 8 heads between steps.
///
///     rows --encoder: width-64-128-256-256--> + attention --residual.0, residual.1-->
///          decoder: 256-256-128-64-1 --> sum of the rows
///
/// With several heads each has a decoder of its own, `decoder1` for the second.
std::unique_ptr<RankingNetwork> tlp(const RankerShape& shape);

/// Blocks of Mamba (Gu and Dao 2023) in the place of attention. With d = model_width,
/// D = expand d channels, N states, K steps of the convolution and R = ceil(d / 16):
///
///     rows --encoder: width-64-d--> blocks --head: d-d-64-1--> sum, mean or last of the rows
///     block: h + mixer(norm(h))
///
/// | weight | shape | |
/// |---|---|---|
/// | `encoder.0.weight`, `.bias` | 64 x width, 64 | then ReLU |
/// | `encoder.2.weight`, `.bias` | d x 64, d | then ReLU |
/// | `blocks.n.norm.weight` | d | norm(h) = weight h / sqrt(mean(h^2) + 1e-5) |
/// | `blocks.n.in_proj.weight` | 2D x d | gives x (first D) and z |
/// | `blocks.n.conv.weight`, `.bias` | D x K, D | x = SiLU(causal convolution of x) |
/// | `blocks.n.x_proj.weight` | (R + 2N) x D | of x, gives l, B and C |
/// | `blocks.n.dt_proj.weight`, `.bias` | D x R, D | dt = softplus of it, of l |
/// | `blocks.n.A_log` | D x N | A = -exp(A_log) |
/// | `blocks.n.D` | D | y = the selective scan of dt, A, B, C, D and x |
/// | `blocks.n.out_proj.weight` | d x D | mixer = of y SiLU(z) |
/// | `head.0.weight`, `.bias` | d x d, d | then ReLU |
/// | `head.2.weight`, `.bias` | 64 x d, 64 | then ReLU |
/// | `head.4.weight`, `.bias` | 1 x 64, 1 | |
std::unique_ptr<RankingNetwork> mamba(const RankerShape& shape);

/// A mamba beside another of the same shape, its base, whose weights never change (Progress and
/// Compress, Schwarz et al. 2018). What its encoder, its blocks and the first layer of its head
/// give gets what an adapter makes of the base's, with k for that and 16 rows of V:
///
///     h + alpha (U ReLU(V k + c))
///
/// `adapter.n.V.weight`, `.bias` (c), `adapter.n.U.weight` and `adapter.n.alpha`, n from 0 to 2,
/// are weights of its own behind those of a mamba. It begins as its base: with the same weights,
/// and with U of zeros.
std::unique_ptr<RankingNetwork> column(const RankerShape& shape, Weights base);

/// Weights that are drawn away from 0 on purpose, which must not decay: A_log and D.
bool decays(const std::string& weight);

}  // namespace tessera
