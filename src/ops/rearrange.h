#pragma once

#include "ops/builder.h"

#include <limits>
#include <string_view>
#include <vector>

/// Ops that compute nothing: each element of the result is an element of an operand, or a constant.
namespace tessera::ops {

TensorId copy(ComputationBuilder& builder, const TensorId& x, std::string_view name = "copy");

/// Dimension d of the result is dimension `order[d]` of x.
TensorId transpose(ComputationBuilder& builder, const TensorId& x,
                   const std::vector<std::int64_t>& order, std::string_view name = "transpose");

/// The elements of x in row-major order, in another shape of as many elements.
TensorId reshape(ComputationBuilder& builder, const TensorId& x, const Shape& shape,
                 std::string_view name = "reshape");

/// x broadcast against `shape`, as in numpy.
TensorId expand(ComputationBuilder& builder, const TensorId& x, const Shape& shape,
                std::string_view name = "expand");

/// x repeated `repeats[d]` times along each dimension d.
TensorId tile(ComputationBuilder& builder, const TensorId& x,
              const std::vector<std::int64_t>& repeats, std::string_view name = "tile");

/// The elements start, start + step, .. before `end` of one dimension. Negative bounds count from
/// the end and bounds beyond it are cut, as in numpy; a negative step runs backwards.
struct Range {
  std::int64_t dim = 0;
  std::int64_t start = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  std::int64_t step = 1;
};

/// How many elements the range names in a dimension.
std::int64_t count(const Range& range, std::int64_t extent);

/// Dimensions without a range stay whole. An empty range is refused.
TensorId slice(ComputationBuilder& builder, const TensorId& x, const std::vector<Range>& ranges,
               std::string_view name = "slice");

/// x with `before[d]` and `after[d]` elements around dimension d, all `value`, a scalar of the
/// dtype of x; negative ones are cut off.
TensorId pad(ComputationBuilder& builder, const TensorId& x,
             const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after,
             const Expr& value, std::string_view name = "pad");

/// The parts one after another along `dim`.
TensorId concat(ComputationBuilder& builder, const std::vector<TensorId>& parts, std::int64_t dim,
                std::string_view name = "concat");

/// Replaces dimension `dim` of x by the dimensions of `indices` (i32 or i64), which pick elements
/// along it. A negative index counts from the end; one beyond the range is brought to its nearest
/// element.
TensorId gather(ComputationBuilder& builder, const TensorId& x, const TensorId& indices,
                std::int64_t dim = 0, std::string_view name = "gather");

}  // namespace tessera::ops
