#pragma once

#include "ops/builder.h"

#include <string_view>

namespace tessera::ops {

struct ArgMaxOptions {
  std::int64_t dim = 0;
  Reducer extremum = Reducer::Max;  // or Min
  bool keeps_dim = false;
  bool takes_last = false;  // of several equal values; otherwise the first
};

/// The position (i64) of the largest or smallest value along a dimension.
TensorId arg_max(ComputationBuilder& builder, const TensorId& x, const ArgMaxOptions& options = {},
                 std::string_view name = "arg_max");

}  // namespace tessera::ops
