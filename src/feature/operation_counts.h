#pragma once

#include "feature/used_tensor.h"

#include <array>
#include <cstdint>

namespace tessera::statement {

/// Kinds of arithmetic in the order of their columns.
enum class Operation : std::uint8_t {
  FloatMad,  // never: the sum and the product of a multiply-add count apart
  FloatAddSub,
  FloatMul,
  FloatDivMod,
  FloatCompare,
  FloatMath,
  FloatOther,  // never: there are no calls with effects
  IntMad,
  IntAddSub,
  IntMul,
  IntDivMod,
  IntCompare,
  IntMath,
  IntOther,
  Bool,
  Select
};
inline constexpr std::size_t operation_kinds = 16;

/// Of one run of a store: its value, the indices of what it reads, and the step of its reducer.
/// Both sides of a select count; the test of a padded read does not where a halo makes it needless.
using OperationCounts = std::array<double, operation_kinds>;
OperationCounts count_operations(const Store& store, const UsedTensors& tensors);

/// Operations of any kind on floating-point numbers.
double float_operations(const OperationCounts& counts);

}  // namespace tessera::statement
