#pragma once

#include "ops/builder.h"

#include <optional>
#include <string_view>
#include <vector>

namespace tessera {

/// L1 is the sum of absolute values, L2 the square root of the sum of squares.
enum class Reduction : std::uint8_t { Sum, Mean, Prod, Max, Min, L1, L2 };

std::string_view to_text(Reduction reduction);
std::optional<Reduction> parse_reduction(std::string_view text);

}  // namespace tessera

namespace tessera::ops {

struct ReduceOptions {
  std::vector<std::int64_t> dims;  // negative counts from the end; none: all
  bool keeps_dims = false;         // reduced dimensions stay with extent one
};

/// What joins the elements, as far as one reducer does.
Reducer reducer_of(Reduction reduction);

/// Mean, L1 and L2 take f32, the others any number.
TensorId reduce(ComputationBuilder& builder, Reduction reduction, const TensorId& x,
                const ReduceOptions& options = {}, std::string_view name = "reduce");

}  // namespace tessera::ops
