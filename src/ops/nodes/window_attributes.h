#pragma once

#include "ops/op.h"
#include "ops/window.h"

namespace tessera::ops {

/// An attribute with one value per spatial dimension; all `otherwise` when it is absent.
Result<std::vector<std::int64_t>> per_dimension(const NodeView& view, std::string_view name,
                                                std::size_t rank, std::int64_t otherwise);

/// Padding on both sides of each spatial dimension.
struct Padding {
  std::vector<std::int64_t> before, after;
};

/// The attribute `pads`; none when it is absent.
Result<Padding> padding_of(const NodeView& view, std::size_t rank);

/// How a window of `extents` moves over `sizes`: strides, dilations, pads or auto_pad, ceil_mode.
Result<std::vector<Slide>> slides_of(const NodeView& view, const Shape& sizes,
                                     const Shape& extents);

/// The spatial part of a shape, which must have one to three such dimensions.
Result<Shape> spatial_sizes(const Shape& shape);

}  // namespace tessera::ops
