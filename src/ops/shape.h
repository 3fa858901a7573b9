#pragma once

#include "ops/builder.h"

#include <span>

/// What ops share: dimensions, broadcasting and reduced axes.
namespace tessera::ops {

/// `dim` counted from the front: -1 is the last of `rank` dimensions.
Result<std::size_t> dimension(std::int64_t dim, std::size_t rank);
/// The same for several, in rising order; refuses a dimension named twice.
Result<std::vector<std::size_t>> dimensions(const std::vector<std::int64_t>& dims,
                                            std::size_t rank);

/// The shape that `a` and `b` broadcast to as numpy does: aligned at the end, extents equal or one.
Result<Shape> broadcast(const Shape& a, const Shape& b);

/// One index per dimension of `shape` at the point `axes`, which run over what `shape` broadcasts
/// to.
std::vector<Expr> broadcast_indices(const Shape& shape, std::span<const Axis> axes);

/// An i32 or i64 index into `extent` elements: a negative one counts from the end, one beyond the
/// range is brought to its nearest element.
Expr wrapped_index(const Expr& index, std::int64_t extent);

/// The axes that run over `id`, with some dimensions reduced.
struct ReducedAxes {
  std::vector<Axis> axes;     // the kept ones, then the reduced ones
  std::vector<Expr> element;  // one index per dimension of the tensor
  std::vector<Expr> kept;     // one index per kept dimension
  std::int64_t count = 1;     // elements reduced to one
};
ReducedAxes reduced_axes(const ComputationBuilder& builder, const TensorId& id,
                         const std::vector<std::size_t>& dims);

/// `axes` with a unit axis for each of `dims`, so that reduced dimensions stay.
std::vector<Axis> with_unit_axes(std::vector<Axis> axes, const std::vector<std::size_t>& dims);

/// Refusals of a dtype that an op has no meaning for, and of two that should be one.
std::string undefined_for(DType dtype);
std::string dtypes_differ(DType a, DType b);

/// `value` as a constant of `dtype`; an integer loses the fraction and what lies beyond its range.
Expr number(DType dtype, double value);

}  // namespace tessera::ops
