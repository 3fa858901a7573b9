#pragma once

#include "ops/builder.h"

#include <functional>
#include <span>
#include <string_view>

/// Ops without a reduction whose operands broadcast against each other as in numpy. Each is one
/// stage, with the axes of an operand that has the result's shape.
namespace tessera::ops {

/// A scalar function of one element, or of one element of each operand.
using Scalar1 = std::function<Expr(const Expr&)>;
using ScalarN = std::function<Expr(std::span<const Expr>)>;

TensorId map(ComputationBuilder& builder, const TensorId& x, const Scalar1& f,
             std::string_view name);
/// The same of f32 only, and of anything but bool.
TensorId map_float(ComputationBuilder& builder, const TensorId& x, const Scalar1& f,
                   std::string_view name);
TensorId map_number(ComputationBuilder& builder, const TensorId& x, const Scalar1& f,
                    std::string_view name);
TensorId elementwise(ComputationBuilder& builder, std::span<const TensorId> operands,
                     const ScalarN& f, std::string_view name);

/// `Not` takes bool; `Neg` and `Abs` take any number; the others take f32.
TensorId unary(ComputationBuilder& builder, UnaryOp op, const TensorId& x, std::string_view name);
/// Both operands have one dtype: bool for `And` and `Or`, a number for the others but `Equal`.
TensorId binary(ComputationBuilder& builder, BinaryOp op, const TensorId& x, const TensorId& y,
                std::string_view name);

TensorId add(ComputationBuilder& builder, const TensorId& x, const TensorId& y,
             std::string_view name = "add");
TensorId sub(ComputationBuilder& builder, const TensorId& x, const TensorId& y,
             std::string_view name = "sub");
TensorId mul(ComputationBuilder& builder, const TensorId& x, const TensorId& y,
             std::string_view name = "mul");
TensorId div(ComputationBuilder& builder, const TensorId& x, const TensorId& y,
             std::string_view name = "div");

/// `x` plus the vector `bias` along dimension `dim` of `x`; negative counts from the end.
TensorId add_bias(ComputationBuilder& builder, const TensorId& x, const TensorId& bias,
                  std::int64_t dim = -1, std::string_view name = "add_bias");

/// `condition ? x : y`, elementwise; `condition` is bool.
TensorId where(ComputationBuilder& builder, const TensorId& condition, const TensorId& x,
               const TensorId& y, std::string_view name = "where");

/// To another dtype: a float loses its fraction on the way to an integer; bool is whether it is not
/// zero.
TensorId cast(ComputationBuilder& builder, const TensorId& x, DType to,
              std::string_view name = "cast");

}  // namespace tessera::ops
