#pragma once

#include "ops/builder.h"

#include <string_view>

namespace tessera::ops {

struct MatmulOptions {
  bool transpose_a = false;  // a is [k, i]
  bool transpose_b = false;  // b is [j, k]
};

/// matmul[.., i, j] = sum(k) a[.., i, k] * b[.., k, j]. Leading dimensions are batches and
/// broadcast. A vector is a row on the left and a column on the right, and its unit dimension is
/// missing in the result.
TensorId matmul(ComputationBuilder& builder, const TensorId& a, const TensorId& b,
                const MatmulOptions& options = {}, std::string_view name = "matmul");

}  // namespace tessera::ops
