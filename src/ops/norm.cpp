#include "ops/norm.h"

#include "base/text.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

/// The trailing dimensions of x that are normalised together.
Result<ReducedAxes> normalised_axes(const ComputationBuilder& builder, const TensorId& x,
                                    const NormOptions& options) {
  const std::size_t rank = builder.shape(x).size();
  const Result<std::size_t> first = dimension(options.first_dim, rank);
  if (!first) return first.error();
  if (!is_float(builder.dtype(x))) return Error{undefined_for(builder.dtype(x))};
  std::vector<std::size_t> dims;
  for (std::size_t d = *first; d < rank; ++d) dims.push_back(d);
  return reduced_axes(builder, x, dims);
}

/// The element of `parameter` that belongs to an element of x.
Result<Expr> parameter_of(const ComputationBuilder& builder, const TensorId& parameter,
                          const TensorId& x) {
  const Tensor tensor = builder.tensor(parameter);
  const Shape shape = builder.shape(x);
  const Result<Shape> all = broadcast(tensor.shape, shape);
  if (!all || *all != shape)
    return Error{"shape " + to_text(tensor.shape) + " does not broadcast to " + to_text(shape)};
  if (!is_float(tensor.dtype)) return Error{undefined_for(tensor.dtype)};
  return builder.read(parameter, broadcast_indices(tensor.shape, builder.axes(x)));
}

Expr inverse_root(const Expr& e, double epsilon) {
  return unary(UnaryOp::Rsqrt, e + real(epsilon));
}

}  // namespace

TensorId layer_norm(ComputationBuilder& builder, const TensorId& x, const TensorId& scale,
                    const std::optional<TensorId>& bias, const NormOptions& options,
                    std::string_view name) {
  const Result<ReducedAxes> over = normalised_axes(builder, x, options);
  if (!over) return builder.refuse(name, over.error().message);
  const Result<Expr> factor = parameter_of(builder, scale, x);
  if (!factor) return builder.refuse(name, "scale: " + factor.error().message);
  const Result<Expr> shift = bias ? parameter_of(builder, *bias, x) : real(0);
  if (!shift) return builder.refuse(name, "bias: " + shift.error().message);

  const std::string prefix(name);
  const Expr share = real(1.0 / static_cast<double>(over->count));
  const Expr value = builder.read(x, over->element);
  const TensorId mean = builder.stage(prefix + "_mean", over->axes, Reducer::Sum, value * share);
  const Expr centred = value - builder.read(mean, over->kept);
  const TensorId variance =
      builder.stage(prefix + "_variance", over->axes, Reducer::Sum, centred * centred * share);
  const Expr scaled =
      centred * inverse_root(builder.read(variance, over->kept), options.epsilon) * *factor;
  return builder.stage(name, builder.axes(x), bias ? scaled + *shift : scaled);
}

TensorId rms_norm(ComputationBuilder& builder, const TensorId& x, const TensorId& scale,
                  const NormOptions& options, std::string_view name) {
  const Result<ReducedAxes> over = normalised_axes(builder, x, options);
  if (!over) return builder.refuse(name, over.error().message);
  const Result<Expr> factor = parameter_of(builder, scale, x);
  if (!factor) return builder.refuse(name, "scale: " + factor.error().message);

  const Expr share = real(1.0 / static_cast<double>(over->count));
  const Expr value = builder.read(x, over->element);
  const TensorId square =
      builder.stage(std::string(name) + "_square", over->axes, Reducer::Sum, value * value * share);
  return builder.stage(
      name, builder.axes(x),
      value * inverse_root(builder.read(square, over->kept), options.epsilon) * *factor);
}

TensorId batch_norm(ComputationBuilder& builder, const TensorId& x,
                    const BatchStatistics& statistics, std::string_view name) {
  const Tensor tensor = builder.tensor(x);
  if (tensor.shape.size() < 2)
    return builder.refuse(name, "shape " + to_text(tensor.shape) + "; expected rank 2 or more");
  const std::vector<Axis> axes = builder.axes(x);
  const Axis& channel = axes[1];
  const auto& [scale, bias, mean, variance, epsilon] = statistics;
  for (const TensorId& id : {x, scale, bias, mean, variance}) {
    const Tensor t = builder.tensor(id);
    if (t.dtype != DType::F32) return builder.refuse(name, undefined_for(t.dtype));
    if (id != x && t.shape != Shape{channel.extent})
      return builder.refuse(name, "shape " + to_text(t.shape) + " does not fit " +
                                      std::to_string(channel.extent) + " channels");
  }

  const auto at = [&](const TensorId& id) { return builder.read(id, {axis(channel.name)}); };
  const std::string prefix(name);
  const TensorId factor =
      builder.stage(prefix + "_factor", {channel}, at(scale) * inverse_root(at(variance), epsilon));
  const TensorId shift =
      builder.stage(prefix + "_shift", {channel}, at(bias) - at(mean) * at(factor));
  return builder.stage(name, axes, builder.read(x, indices_of(axes)) * at(factor) + at(shift));
}

}  // namespace tessera::ops
