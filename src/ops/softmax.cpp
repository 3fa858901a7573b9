#include "ops/softmax.h"

#include "ops/shape.h"

namespace tessera::ops {
namespace {

Result<ReducedAxes> axes_along(const ComputationBuilder& builder, const TensorId& x,
                               std::int64_t dim) {
  if (!is_float(builder.dtype(x))) return Error{undefined_for(builder.dtype(x))};
  const Result<std::size_t> d = dimension(dim, builder.shape(x).size());
  if (!d) return d.error();
  return reduced_axes(builder, x, {*d});
}

}  // namespace

TensorId softmax(ComputationBuilder& builder, const TensorId& x, std::int64_t dim,
                 std::string_view name) {
  const Result<ReducedAxes> along = axes_along(builder, x, dim);
  if (!along) return builder.refuse(name, along.error().message);
  const auto& [axes, element, kept, count] = *along;
  const std::string prefix(name);
  const Expr value = builder.read(x, element);
  const TensorId max = builder.stage(prefix + "_max", axes, Reducer::Max, value);
  const TensorId exp = builder.stage(prefix + "_exp", builder.axes(x),
                                     unary(UnaryOp::Exp, value - builder.read(max, kept)));
  const TensorId sum =
      builder.stage(prefix + "_sum", axes, Reducer::Sum, builder.read(exp, element));
  return builder.stage(name, builder.axes(x), builder.read(exp, element) / builder.read(sum, kept));
}

TensorId log_softmax(ComputationBuilder& builder, const TensorId& x, std::int64_t dim,
                     std::string_view name) {
  const Result<ReducedAxes> along = axes_along(builder, x, dim);
  if (!along) return builder.refuse(name, along.error().message);
  const auto& [axes, element, kept, count] = *along;
  const std::string prefix(name);
  const TensorId max = builder.stage(prefix + "_max", axes, Reducer::Max, builder.read(x, element));
  const Expr shifted = builder.read(x, element) - builder.read(max, kept);
  const TensorId sum =
      builder.stage(prefix + "_sum", axes, Reducer::Sum, unary(UnaryOp::Exp, shifted));
  return builder.stage(name, builder.axes(x),
                       shifted - unary(UnaryOp::Log, builder.read(sum, kept)));
}

}  // namespace tessera::ops
