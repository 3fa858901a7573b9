#include "ops/elementwise.h"

#include "base/text.h"
#include "ops/shape.h"

#include <array>

namespace tessera::ops {
namespace {

Result<Shape> broadcast_all(const ComputationBuilder& builder, std::span<const TensorId> operands) {
  Result<Shape> shape = Shape{};
  for (const TensorId& id : operands) {
    shape = broadcast(*shape, builder.shape(id));
    if (!shape) break;
  }
  return shape;
}

/// The axes of the first stage among `operands` that has all of `shape`, so that names carry on
/// along a chain.
std::vector<Axis> carried_axes(const ComputationBuilder& builder,
                               std::span<const TensorId> operands, const Shape& shape) {
  for (const TensorId& id : operands)
    if (builder.is_stage(id) && builder.shape(id) == shape) return builder.axes(id);
  return spatial_axes(shape);
}

bool takes(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::Not:
      return dtype == DType::Bool;
    case UnaryOp::Neg:
    case UnaryOp::Abs:
      return dtype != DType::Bool;
    default:
      return is_float(dtype);
  }
}

bool takes(BinaryOp op, DType dtype) {
  switch (op) {
    case BinaryOp::And:
    case BinaryOp::Or:
      return dtype == DType::Bool;
    case BinaryOp::Equal:
      return true;
    case BinaryOp::Pow:
      return is_float(dtype);
    default:
      return dtype != DType::Bool;
  }
}

/// The refusal, if any, of `op` on these dtypes.
std::optional<std::string> refusal_of(BinaryOp op, DType a, DType b) {
  if (a != b) return dtypes_differ(a, b);
  if (!takes(op, a)) return undefined_for(a);
  return std::nullopt;
}

}  // namespace

TensorId elementwise(ComputationBuilder& builder, std::span<const TensorId> operands,
                     const ScalarN& f, std::string_view name) {
  if (builder.refusal()) return {};  // what stands for an operand may have another dtype
  const Result<Shape> shape = broadcast_all(builder, operands);
  if (!shape) return builder.refuse(name, shape.error().message);
  const std::vector<Axis> axes = carried_axes(builder, operands, *shape);
  std::vector<Expr> elements;
  for (const TensorId& id : operands)
    elements.push_back(builder.read(id, broadcast_indices(builder.shape(id), axes)));
  return builder.stage(name, axes, f(elements));
}

TensorId map(ComputationBuilder& builder, const TensorId& x, const Scalar1& f,
             std::string_view name) {
  return elementwise(
      builder, std::array{x}, [&](std::span<const Expr> e) { return f(e[0]); }, name);
}

TensorId map_float(ComputationBuilder& builder, const TensorId& x, const Scalar1& f,
                   std::string_view name) {
  if (!is_float(builder.dtype(x))) return builder.refuse(name, undefined_for(builder.dtype(x)));
  return map(builder, x, f, name);
}

TensorId map_number(ComputationBuilder& builder, const TensorId& x, const Scalar1& f,
                    std::string_view name) {
  if (builder.dtype(x) == DType::Bool) return builder.refuse(name, undefined_for(DType::Bool));
  return map(builder, x, f, name);
}

TensorId unary(ComputationBuilder& builder, UnaryOp op, const TensorId& x, std::string_view name) {
  if (!takes(op, builder.dtype(x))) return builder.refuse(name, undefined_for(builder.dtype(x)));
  return map(builder, x, [&](const Expr& e) { return unary(op, e); }, name);
}

TensorId binary(ComputationBuilder& builder, BinaryOp op, const TensorId& x, const TensorId& y,
                std::string_view name) {
  if (const auto refusal = refusal_of(op, builder.dtype(x), builder.dtype(y)))
    return builder.refuse(name, *refusal);
  return elementwise(
      builder, std::array{x, y}, [&](std::span<const Expr> e) { return binary(op, e[0], e[1]); },
      name);
}

TensorId add(ComputationBuilder& builder, const TensorId& x, const TensorId& y,
             std::string_view name) {
  return binary(builder, BinaryOp::Add, x, y, name);
}

TensorId sub(ComputationBuilder& builder, const TensorId& x, const TensorId& y,
             std::string_view name) {
  return binary(builder, BinaryOp::Sub, x, y, name);
}

TensorId mul(ComputationBuilder& builder, const TensorId& x, const TensorId& y,
             std::string_view name) {
  return binary(builder, BinaryOp::Mul, x, y, name);
}

TensorId div(ComputationBuilder& builder, const TensorId& x, const TensorId& y,
             std::string_view name) {
  return binary(builder, BinaryOp::Div, x, y, name);
}

TensorId add_bias(ComputationBuilder& builder, const TensorId& x, const TensorId& bias,
                  std::int64_t dim, std::string_view name) {
  const std::vector<Axis> axes = builder.axes(x);
  const Result<std::size_t> d = dimension(dim, axes.size());
  if (!d) return builder.refuse(name, d.error().message);
  const Shape shape = builder.shape(bias);
  if (shape != Shape{axes[*d].extent})
    return builder.refuse(name, "shape " + to_text(shape) + " does not fit dimension " +
                                    std::to_string(*d) + " of " + to_text(builder.shape(x)));
  if (const auto refusal = refusal_of(BinaryOp::Add, builder.dtype(x), builder.dtype(bias)))
    return builder.refuse(name, *refusal);
  return builder.stage(
      name, axes, builder.read(x, indices_of(axes)) + builder.read(bias, {axis(axes[*d].name)}));
}

TensorId where(ComputationBuilder& builder, const TensorId& condition, const TensorId& x,
               const TensorId& y, std::string_view name) {
  if (builder.dtype(condition) != DType::Bool)
    return builder.refuse(
        name, "expected a bool condition, got " + std::string(to_text(builder.dtype(condition))));
  if (builder.dtype(x) != builder.dtype(y))
    return builder.refuse(name, dtypes_differ(builder.dtype(x), builder.dtype(y)));
  return elementwise(
      builder, std::array{condition, x, y},
      [](std::span<const Expr> e) { return select(e[0], e[1], e[2]); }, name);
}

TensorId cast(ComputationBuilder& builder, const TensorId& x, DType to, std::string_view name) {
  return map(
      builder, x,
      [&](const Expr& e) {
        if (to != DType::Bool || e.dtype() == DType::Bool) return cast(to, e);
        return unary(UnaryOp::Not, binary(BinaryOp::Equal, e, number(e.dtype(), 0)));
      },
      name);
}

}  // namespace tessera::ops
