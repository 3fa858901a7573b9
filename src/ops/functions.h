#pragma once

#include "ops/builder.h"

#include <string_view>

/// Functions of f32 that the IR has no operator for, by those it has. Relative errors stay below
/// 1e-6, also near zeros.
namespace tessera::ops {

TensorId tan(ComputationBuilder& builder, const TensorId& x, std::string_view name = "tan");
TensorId asin(ComputationBuilder& builder, const TensorId& x, std::string_view name = "asin");
TensorId acos(ComputationBuilder& builder, const TensorId& x, std::string_view name = "acos");
TensorId atan(ComputationBuilder& builder, const TensorId& x, std::string_view name = "atan");
TensorId sinh(ComputationBuilder& builder, const TensorId& x, std::string_view name = "sinh");
TensorId cosh(ComputationBuilder& builder, const TensorId& x, std::string_view name = "cosh");
TensorId asinh(ComputationBuilder& builder, const TensorId& x, std::string_view name = "asinh");
TensorId acosh(ComputationBuilder& builder, const TensorId& x, std::string_view name = "acosh");
TensorId atanh(ComputationBuilder& builder, const TensorId& x, std::string_view name = "atanh");

}  // namespace tessera::ops
