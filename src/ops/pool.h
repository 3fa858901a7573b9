#pragma once

#include "ops/reduce.h"
#include "ops/window.h"

#include <string_view>

/// Pooling of x [N, C, .., H, W] over one to three spatial dimensions.
namespace tessera::ops {

struct PoolOptions {
  Shape window;               // taps per spatial dimension
  std::vector<Slide> slides;  // one per spatial dimension; none: all default
};

/// Of any number. Padding never wins; a window that sees nothing but padding is refused.
TensorId max_pool(ComputationBuilder& builder, const TensorId& x, const PoolOptions& options,
                  std::string_view name = "max_pool");

/// The order in which the elements of one image are counted.
enum class ImageOrder : std::uint8_t { RowMajor, ColumnMajor };

/// Where in x `max_pool`, which gave `pooled`, found its values first: i64, counted through all
/// images.
TensorId max_pool_indices(ComputationBuilder& builder, const TensorId& x, const TensorId& pooled,
                          const PoolOptions& options, ImageOrder order,
                          std::string_view name = "max_pool_indices");

/// Who counts when an average is taken: all taps but those that hang over, padding being zero, or
/// those on elements.
enum class PoolCount : std::uint8_t { Taps, Elements };

/// A window that sees nothing but padding is refused.
TensorId average_pool(ComputationBuilder& builder, const TensorId& x, const PoolOptions& options,
                      PoolCount count = PoolCount::Elements,
                      std::string_view name = "average_pool");

/// (sum |x|^p) ^ 1/p over each window.
TensorId lp_pool(ComputationBuilder& builder, const TensorId& x, const PoolOptions& options,
                 double p, std::string_view name = "lp_pool");

/// Reduces all spatial dimensions, which stay with extent one.
TensorId global_pool(ComputationBuilder& builder, Reduction reduction, const TensorId& x,
                     std::string_view name = "global_pool");

}  // namespace tessera::ops
