#pragma once

#include "base/result.h"
#include "feature/rows.h"
#include "model/lambda_rank.h"
#include "model/safetensors.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// What a Ranker is built as.
struct RankerShape {
  std::string kind;                // `tenset-mlp`, `tlp`, `mamba`
  std::size_t width = 0;           // of the rows it reads
  std::vector<float> scales = {};  // each column is divided by its own; none: all are 1
  /// How sharply the prior's estimate ranks before the network corrects it: with 8, what is a tenth
  /// slower begins with 0.8 less. With 0 the network only sees it.
  std::int64_t estimate_weight = 8;
  std::int64_t heads = 1;  // of `tlp` alone: each judges programs of its own (MTL-TLP)
  // Of `mamba` alone:
  std::int64_t model_width = 96;
  std::int64_t expand = 2;
  std::int64_t states = 16;      // of each channel
  std::int64_t convolution = 4;  // steps that the causal convolution sees
  std::int64_t blocks = 1;
  std::string read_out = "sum";  // `sum`, `mean` or `last` of the steps
};

/// What the score of a program begins with.
inline float first_score(const RankerShape& shape, const Rows& programs, std::size_t program) {
  if (programs.estimates.empty()) return 0;
  return static_cast<float>(shape.estimate_weight) * programs.estimates[program];
}

/// What a Ranker thinks of the programs of one list.
struct Judgement {
  std::span<const float> scores;
  std::span<const float> features;  // as those of a Ranker
};
/// Of the list with that number. Several threads may call it at once.
using LossOfList = std::function<ListLoss(std::size_t list, const Judgement& judgement)>;
/// LambdaRank by the labels of all programs, which are in (0, 1] and outlive it; as `lists`.
LossOfList ranking_loss(std::span<const float> labels, std::span<const std::size_t> lists);

/// A neural network that gives programs scores by which they can be ranked; larger is better.
/// Learns from lists of programs of one task each.
class Ranker {
 public:
  virtual ~Ranker() = default;
  virtual const RankerShape& shape() const = 0;
  virtual std::int64_t parameter_count() const = 0;

  struct Opinion {
    std::vector<float> scores;    // of each program
    std::vector<float> features;  // what the last layer sees of each; empty if there is no such
  };
  /// Programs, here and below, have a row at least.
  virtual Opinion judge(const Rows& programs) const = 0;
  std::vector<float> score(const Rows& programs) const { return judge(programs).scores; }
  /// One step of Adam. `lists` has the first program of each list and the end of the last. Returns
  /// the loss per list.
  virtual double learn(const Rows& programs, std::span<const std::size_t> lists,
                       const LossOfList& loss, double learning_rate) = 0;
  /// Of each weight the mean over lists of its squared gradient: how much the scores hang on it.
  virtual Tensors importance(const Rows& programs, std::span<const std::size_t> lists,
                             const LossOfList& loss) = 0;
  /// From now on `learn` pulls each weight toward where `centre` has it, with the strength that
  /// it has in `strength`. Refuses names and shapes that are not this Ranker's.
  virtual Result<void> hold(const Tensors& centre, const Tensors& strength) = 0;

  virtual Tensors weights() const = 0;
  /// What `learn` keeps beside the weights, for going on later.
  virtual Tensors optimiser_state() const = 0;
  /// Refuse names and shapes that are not this Ranker's, and numbers that are not finite.
  virtual Result<void> set_weights(const Tensors& weights) = 0;
  virtual Result<void> set_optimiser_state(const Tensors& state) = 0;
};

/// A `mamba` that learns beside another one, its base, which stays as it is: it begins with the
/// same weights and sees what the base thinks of each step (`column` of
/// `model/torch/ranking_network.h`). Refused as below, and where the base is not of that shape.
Result<std::unique_ptr<Ranker>> make_column(const RankerShape& shape, const Tensors& base,
                                            std::uint64_t seed, int threads);

/// Opens the library that holds LibTorch, once. The same seed and number of threads give the same
/// numbers. Refuses when the library is not there, or for a shape that does not exist.
Result<std::unique_ptr<Ranker>> make_ranker(const RankerShape& shape, std::uint64_t seed,
                                            int threads);

}  // namespace tessera
