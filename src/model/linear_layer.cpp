#include "model/linear_layer.h"

#include "model/lanes.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::size_t tile_rows = 6;
/// A panel is two vectors, so that a tile of six rows fills the registers of AVX2.
static_assert(LinearLayer::panel == 2 * lanes);

struct Product {
  const float* x;
  std::size_t x_stride;
  std::size_t inputs;
  const float* weights;  // of the panel
  const float* bias;
  float* y;
  std::size_t y_stride;
  bool is_relu;
};

template <std::size_t Rows>
[[gnu::always_inline]] inline void tile(const Product& p) {
  Vector left[Rows], right[Rows];
#pragma GCC unroll 8
  for (std::size_t row = 0; row < Rows; ++row) {
    left[row] = load<Vector>(p.bias);
    right[row] = load<Vector>(p.bias + lanes);
  }
  for (std::size_t k = 0; k < p.inputs; ++k) {
    const float* const weights = p.weights + k * LinearLayer::panel;
    const Vector w_left = load<Vector>(weights), w_right = load<Vector>(weights + lanes);
#pragma GCC unroll 8
    for (std::size_t row = 0; row < Rows; ++row) {
      const float x = p.x[row * p.x_stride + k];
      left[row] += x * w_left;
      right[row] += x * w_right;
    }
  }
#pragma GCC unroll 8
  for (std::size_t row = 0; row < Rows; ++row) {
    if (p.is_relu) {
      left[row] = left[row] > 0 ? left[row] : Vector{};
      right[row] = right[row] > 0 ? right[row] : Vector{};
    }
    store(p.y + row * p.y_stride, left[row]);
    store(p.y + row * p.y_stride + lanes, right[row]);
  }
}

[[gnu::always_inline]] inline void panel_of_rows(Product p, std::size_t rows) {
  for (; rows >= tile_rows; rows -= tile_rows) {
    tile<tile_rows>(p);
    p.x += tile_rows * p.x_stride;
    p.y += tile_rows * p.y_stride;
  }
  for (; rows > 0; --rows) {
    tile<1>(p);
    p.x += p.x_stride;
    p.y += p.y_stride;
  }
}

#if defined(__x86_64__)
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")]]
#endif
void multiply(const Product& p, std::size_t rows) {
  panel_of_rows(p, rows);
}

}  // namespace

LinearLayer::LinearLayer(const NamedTensor& weight, const NamedTensor* bias)
    : inputs_(static_cast<std::size_t>(weight.shape[1])),
      outputs_(static_cast<std::size_t>(weight.shape[0])),
      panels_((outputs_ + panel - 1) / panel),
      weights_(panels_ * panel * inputs_),
      bias_(panels_ * panel) {
  for (std::size_t out = 0; out < outputs_; ++out)
    for (std::size_t in = 0; in < inputs_; ++in)
      weights_[(out / panel * inputs_ + in) * panel + out % panel] =
          weight.values[out * inputs_ + in];
  if (bias != nullptr) std::ranges::copy(bias->values, bias_.begin());
}

void LinearLayer::apply(const float* x, std::size_t x_stride, std::size_t rows, float* y,
                        bool is_relu) const {
  for (std::size_t n = 0; n < panels_; ++n)
    multiply({.x = x,
              .x_stride = x_stride,
              .inputs = inputs_,
              .weights = weights_.data() + n * panel * inputs_,
              .bias = bias_.data() + n * panel,
              .y = y + n * panel,
              .y_stride = stride(),
              .is_relu = is_relu},
             rows);
}

}  // namespace tessera
