#pragma once

#include "ops/builder.h"

#include <string_view>
#include <vector>

namespace tessera::ops {

/// How one spatial dimension grows: element i of the input meets tap t of the weights at
/// i * stride + t * dilation - before of the result, which has `extent` elements.
struct Growth {
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t before = 0;
  std::int64_t extent = 1;
};

/// Transposed convolution of x [N, C, .., H, W] with weights [C, O/groups, .., R, S] over one to
/// three spatial dimensions, as a sum over what meets at each element of the result.
TensorId conv_transpose(ComputationBuilder& builder, const TensorId& x, const TensorId& weights,
                        const std::vector<Growth>& growths, std::int64_t groups = 1,
                        std::string_view name = "conv_transpose");

}  // namespace tessera::ops
