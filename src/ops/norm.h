#pragma once

#include "ops/builder.h"

#include <optional>
#include <string_view>

/// Normalisations, all of f32.
namespace tessera::ops {

struct NormOptions {
  std::int64_t first_dim = -1;  // this dimension and those after it are normalised together
  double epsilon = 1e-5;        // added to the variance or mean square
};

/// (x - mean) / sqrt(variance + epsilon) * scale + bias, where scale and bias broadcast to x.
TensorId layer_norm(ComputationBuilder& builder, const TensorId& x, const TensorId& scale,
                    const std::optional<TensorId>& bias, const NormOptions& options = {},
                    std::string_view name = "layer_norm");

/// x / sqrt(mean(x^2) + epsilon) * scale, where scale broadcasts to x.
TensorId rms_norm(ComputationBuilder& builder, const TensorId& x, const TensorId& scale,
                  const NormOptions& options = {}, std::string_view name = "rms_norm");

/// The statistics that a trained batch normalisation holds, one element per channel each.
struct BatchStatistics {
  TensorId scale, bias, mean, variance;
  double epsilon = 1e-5;
};

/// (x - mean) / sqrt(variance + epsilon) * scale + bias along dimension 1 of x, as x * factor +
/// shift; the stages of factor and shift depend on the statistics only.
TensorId batch_norm(ComputationBuilder& builder, const TensorId& x,
                    const BatchStatistics& statistics, std::string_view name = "batch_norm");

}  // namespace tessera::ops
