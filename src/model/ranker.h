#pragma once

#include "base/result.h"
#include "feature/rows.h"
#include "model/safetensors.h"

#include <cstdint>
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
  bool adds_to_estimate = true;  // the network corrects what the prior thinks; false: stands alone
  // Of `mamba` alone:
  std::int64_t model_width = 96;
  std::int64_t expand = 2;
  std::int64_t states = 16;      // of each channel
  std::int64_t convolution = 4;  // steps that the causal convolution sees
  std::int64_t blocks = 1;
  std::string read_out = "sum";  // `sum`, `mean` or `last` of the steps
};

/// How sharply an estimate ranks before anything has been learned: a tenth slower, 0.8 less.
inline constexpr float estimate_weight = 8;

/// What the score of a program begins with.
inline float first_score(const RankerShape& shape, const Rows& programs, std::size_t program) {
  const bool is_known = shape.adds_to_estimate && !programs.estimates.empty();
  return is_known ? estimate_weight * programs.estimates[program] : 0;
}

/// A neural network that gives programs scores by which they can be ranked; larger is better.
/// Learns by LambdaRank on lists of programs of one task each.
class Ranker {
 public:
  virtual ~Ranker() = default;
  virtual const RankerShape& shape() const = 0;
  virtual std::int64_t parameter_count() const = 0;

  /// Programs, here and in `learn`, have a row at least.
  virtual std::vector<float> score(const Rows& programs) const = 0;
  /// One step of Adam. `lists` has the first program of each list and the end of the last; labels
  /// are of all programs, in (0, 1]. Returns the loss per list.
  virtual double learn(const Rows& programs, std::span<const float> labels,
                       std::span<const std::size_t> lists, double learning_rate) = 0;

  virtual Tensors weights() const = 0;
  /// What `learn` keeps beside the weights, for going on later.
  virtual Tensors optimiser_state() const = 0;
  /// Refuse names and shapes that are not this Ranker's, and numbers that are not finite.
  virtual Result<void> set_weights(const Tensors& weights) = 0;
  virtual Result<void> set_optimiser_state(const Tensors& state) = 0;
};

/// Opens the library that holds LibTorch, once. The same seed and number of threads give the same
/// numbers. Refuses when the library is not there, or for a shape that does not exist.
Result<std::unique_ptr<Ranker>> make_ranker(const RankerShape& shape, std::uint64_t seed,
                                            int threads);

}  // namespace tessera
