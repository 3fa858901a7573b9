#pragma once

#include "ops/op.h"

/// Quantised values stand for (value - zero point) * scale. Sums of products are exact in i32;
/// scales are applied in f32.
namespace tessera::ops {

/// Where the scales and zero points of a tensor vary: along one dimension (negative counts from the
/// end), in blocks of `block` elements if that is not 0.
struct Granularity {
  std::int64_t dim = 1;
  std::int64_t block = 0;
};

/// The scale or zero point, input `n`, that belongs to the point `axes` of a tensor: its only
/// element, one of a vector along a dimension, one per block, or one that broadcasts.
Expr parameter(const Definition& d, std::size_t n, const std::vector<Axis>& axes,
               const Granularity& granularity);

/// Input `n` less its zero point, input `zero`, which may be absent; i32.
TensorId centred(const Definition& d, std::size_t n, std::size_t zero,
                 const Granularity& granularity);

/// The inputs that say how a sum of products becomes a quantised result.
struct Requantization {
  std::size_t x_scale, w_scale, y_scale, y_zero;
  std::int64_t x_dim, w_dim;  // of the result, along which the scales may vary
};

/// `sum` times the scales of its factors, quantised by those of the result.
TensorId requantized(const Definition& d, const TensorId& sum, const Requantization& inputs);

/// A stage: `value` / `scale` rounded half to even, moved by the zero point and brought into the
/// range of `to`. The quotient is a stage before it: that it is an f32 decides what is a half.
TensorId quantized(const Definition& d, const std::vector<Axis>& axes, const Expr& value,
                   const Expr& scale, const Expr& zero, ElementType to);

}  // namespace tessera::ops
