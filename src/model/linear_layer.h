#pragma once

#include "model/safetensors.h"

#include <cstddef>
#include <vector>

namespace tessera {

/// y = W x + b for many rows x, with W laid out for vectors.
class LinearLayer {
 public:
  /// Columns that lie and are computed together; results have so many, rounded up.
  static constexpr std::size_t panel = 16;

  LinearLayer() = default;
  /// `weight` is outputs x inputs; `bias` may be null.
  LinearLayer(const NamedTensor& weight, const NamedTensor* bias);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }
  /// Distance of rows of results: the outputs, rounded up to whole panels.
  std::size_t stride() const { return panels_ * panel; }

  /// `x` has `rows` rows that are `x_stride` apart, `y` gets as many. Negative results become 0 if
  /// `is_relu`.
  void apply(const float* x, std::size_t x_stride, std::size_t rows, float* y, bool is_relu) const;

 private:
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
  std::size_t panels_ = 0;
  std::vector<float> weights_;  // panel by panel, of each panel input by input
  std::vector<float> bias_;
};

}  // namespace tessera
