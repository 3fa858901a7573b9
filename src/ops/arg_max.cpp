#include "ops/arg_max.h"

#include "ops/shape.h"

namespace tessera::ops {

TensorId arg_max(ComputationBuilder& builder, const TensorId& x, const ArgMaxOptions& options,
                 std::string_view name) {
  const Tensor tensor = builder.tensor(x);
  const Result<std::size_t> dim = dimension(options.dim, tensor.shape.size());
  if (!dim) return builder.refuse(name, dim.error().message);
  if (tensor.dtype == DType::Bool) return builder.refuse(name, undefined_for(tensor.dtype));
  const ReducedAxes over = reduced_axes(builder, x, {*dim});
  const Expr value = builder.read(x, over.element);
  const TensorId extremum =
      builder.stage(std::string(name) + "_value", over.axes, options.extremum, value);
  const Expr is_hit = binary(BinaryOp::Equal, value, builder.read(extremum, over.kept));
  const Reducer pick = options.takes_last ? Reducer::Max : Reducer::Min;
  return builder.stage(
      name, options.keeps_dim ? with_unit_axes(over.axes, {*dim}) : over.axes, pick,
      select(is_hit, over.element[*dim], options.takes_last ? Expr(0) : Expr(over.count - 1)));
}

}  // namespace tessera::ops
