#pragma once

#include "ops/builder.h"

#include <string_view>

/// Both subtract the largest value first, so that no exponential overflows.
namespace tessera::ops {

/// exp(x - max) / sum exp(x - max) along `dim`, as the stages max, exp, sum and the quotient.
TensorId softmax(ComputationBuilder& builder, const TensorId& x, std::int64_t dim = -1,
                 std::string_view name = "softmax");

/// x - max - log sum exp(x - max) along `dim`, as the stages max, sum and the difference.
TensorId log_softmax(ComputationBuilder& builder, const TensorId& x, std::int64_t dim = -1,
                     std::string_view name = "log_softmax");

}  // namespace tessera::ops
