#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/nodes/quantization.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace tessera::ops {

Expr parameter(const Definition& d, std::size_t n, const std::vector<Axis>& axes,
               const Granularity& granularity) {
  const Shape& shape = d.shape(n);
  const TensorId id = d.input(n);
  if (element_count(shape) == 1) return d.b.read(id, std::vector<Expr>(shape.size(), 0));
  const Result<std::size_t> dim = dimension(granularity.dim, axes.size());
  if (dim && shape.size() == 1 && shape[0] == axes[*dim].extent)
    return d.b.read(id, {axis(axes[*dim].name)});
  if (dim && granularity.block > 0 && shape.size() == axes.size() &&
      shape[*dim] == (axes[*dim].extent - 1) / granularity.block + 1) {
    std::vector<Expr> indices = indices_of(axes);
    indices[*dim] = indices[*dim] / granularity.block;
    return d.b.read(id, indices);
  }
  Shape extents;
  for (const Axis& a : axes) extents.push_back(a.extent);
  const Result<Shape> all = broadcast(shape, extents);
  if (shape.size() == axes.size() && all && *all == extents)
    return d.b.read(id, broadcast_indices(shape, axes));
  d.b.refuse(d.node().title(), "input " + std::to_string(n) + " has shape " + to_text(shape) +
                                   ", which does not fit " + to_text(extents));
  return number(d.b.dtype(id), 0);
}

TensorId centred(const Definition& d, std::size_t n, std::size_t zero,
                 const Granularity& granularity) {
  const TensorId x = d.input(n);
  if (is_float(d.b.dtype(x))) return d.b.refuse(d.node().title(), undefined_for(d.b.dtype(x)));
  const std::vector<Axis> axes = d.b.axes(x);
  const Expr value = cast(DType::I32, d.b.read(x, indices_of(axes)));
  if (!d.has_input(zero)) return d.b.stage("centred", axes, value);
  const Expr point = cast(DType::I32, parameter(d, zero, axes, granularity));
  return d.b.stage("centred", axes, value - point);
}

TensorId quantized(const Definition& d, const std::vector<Axis>& axes, const Expr& value,
                   const Expr& scale, const Expr& zero, ElementType to) {
  const TensorId quotient = d.b.stage("quotient", axes, value / scale);
  const Expr steps = unary(UnaryOp::Round, d.b.read(quotient, indices_of(axes)));
  return d.b.stage(d.node().op, axes,
                   cast(dtype_of(to), saturated(steps + cast(DType::F32, zero), to)));
}

TensorId requantized(const Definition& d, const TensorId& sum, const Requantization& inputs) {
  const std::vector<Axis> axes = d.b.axes(sum);
  const auto scale = [&](std::size_t n, std::int64_t dim) {
    return parameter(d, n, axes, {.dim = dim});
  };
  const Expr value = cast(DType::F32, d.b.read(sum, indices_of(axes)));
  const Expr product = scale(inputs.x_scale, inputs.x_dim) * scale(inputs.w_scale, inputs.w_dim);
  return quantized(d, axes, value * product, scale(inputs.y_scale, inputs.x_dim),
                   scale(inputs.y_zero, inputs.x_dim), d.type(inputs.y_zero).element);
}

namespace {

Granularity granularity_of(const Definition& d) {
  return {.dim = d.integer("axis", 1), .block = d.integer("block_size", 0)};
}

/// The type of the zero point, or the attribute, or u8.
void quantize_linear(Definition& d) {
  const auto wanted = element_type_of(d.integer("output_dtype", 0));
  const ElementType element =
      d.has_input(2) ? d.type(2).element : wanted.value_or(ElementType::UInt8);
  if (!narrow_range(element))
    return d.refuse("quantises to " + std::string(to_text(element)) +
                    ", expected an integer of at most 16 bits");
  const std::vector<Axis> axes = d.b.axes(d.input(0));
  const Expr value = cast(DType::F32, d.b.read(d.input(0), indices_of(axes)));
  const Expr scale = parameter(d, 1, axes, granularity_of(d));
  const Expr zero = d.has_input(2) ? parameter(d, 2, axes, granularity_of(d)) : Expr(0);
  if (!is_float(scale.dtype())) return d.refuse("scale is " + undefined_for(scale.dtype()));
  d.output(quantized(d, axes, value, scale, zero, element), element);
}

void dequantize_linear(Definition& d) {
  const std::vector<Axis> axes = d.b.axes(d.input(0));
  const Expr value = d.b.read(d.input(0), indices_of(axes));
  const Expr scale = parameter(d, 1, axes, granularity_of(d));
  const Expr zero =
      d.has_input(2) ? parameter(d, 2, axes, granularity_of(d)) : number(value.dtype(), 0);
  if (!is_float(scale.dtype()) || zero.dtype() != value.dtype())
    return d.refuse("expected a real scale and a zero point of the type of the values");
  d.output(d.b.stage(d.node().op, axes, cast(DType::F32, value - zero) * scale), d.type(1).element);
}

/// Gives u8 values, and the scale and zero point with which they span the range of x and zero.
void dynamic_quantize_linear(Definition& d) {
  const TensorId x = d.input(0);
  if (!is_float(d.b.dtype(x))) return d.refuse(undefined_for(d.b.dtype(x)));
  const TensorId highest = reduce(d.b, Reduction::Max, x, {}, "highest");
  const TensorId lowest = reduce(d.b, Reduction::Min, x, {}, "lowest");
  const Expr top = max(d.b.read(highest, {}), real(0)), bottom = min(d.b.read(lowest, {}), real(0));
  const TensorId scale = d.b.stage("scale", {}, (top - bottom) / real(255));
  // Where all is zero, so is the scale, and any divisor gives zeros.
  const Expr is_flat = binary(BinaryOp::Equal, d.b.read(scale, {}), real(0));
  const Expr divisor = select(is_flat, real(1), d.b.read(scale, {}));
  const TensorId zero =
      quantized(d, {}, unary(UnaryOp::Neg, bottom), divisor, 0, ElementType::UInt8);
  const std::vector<Axis> axes = d.b.axes(x);
  d.output(quantized(d, axes, d.b.read(x, indices_of(axes)), divisor, d.b.read(zero, {}),
                     ElementType::UInt8),
           ElementType::UInt8);
  d.output(scale, ElementType::Float);
  d.output(zero, ElementType::UInt8);
}

constexpr Op list[] = {
    {"", "DequantizeLinear", dequantize_linear, 2},
    {"", "DynamicQuantizeLinear", dynamic_quantize_linear},
    {"", "QuantizeLinear", quantize_linear, 2},
    {"com.microsoft", "DequantizeLinear", dequantize_linear, 2},
    {"com.microsoft", "QuantizeLinear", quantize_linear, 2},
};

}  // namespace

std::span<const Op> quantize_nodes() { return list; }

}  // namespace tessera::ops
