#pragma once

#include "pick/points.h"

#include <span>
#include <vector>

namespace tessera {

/// Programs of one task that have been measured, as the last layer of a network sees them.
struct Evidence {
  Points features;
  std::vector<float> labels;  // of each; larger is better
};

/// Of the programs of a task those that were measured, labels beside the best of these: the best of
/// the others is not known.
Evidence evidence_of(const Points& features, const std::vector<bool>& is_measured,
                     std::span<const float> labels);

/// Linear heads on one trunk, each taught by another draw of the evidence (bootstrap): what they do
/// not agree on is not known yet. Only differences within a task count.
class Committee {
 public:
  /// Least squares with some regularisation; there is evidence of one task at least.
  static Committee teach(const std::vector<Evidence>& evidence, std::size_t heads, Rng& rng);
  /// Of each head a score for each program; within a task they can be compared.
  std::vector<std::vector<float>> votes(const Points& features) const;

 private:
  std::vector<std::vector<float>> heads_;
};

}  // namespace tessera
