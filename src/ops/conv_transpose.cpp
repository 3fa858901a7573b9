#include "ops/conv_transpose.h"

#include "base/text.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

constexpr std::size_t max_dims = 3;
constexpr std::int64_t max_value = std::int64_t{1} << 31;

bool is_valid(const Growth& g) {
  const auto lies_within = [](std::int64_t v, std::int64_t low) {
    return low <= v && v < max_value;
  };
  return lies_within(g.stride, 1) && lies_within(g.dilation, 1) && lies_within(g.extent, 1) &&
         lies_within(g.before, -max_value);
}

Result<void> check_shapes(const Shape& x, const Shape& w, const std::vector<Growth>& growths,
                          std::int64_t groups) {
  const std::string shapes = "input " + to_text(x) + " and weights " + to_text(w);
  if (x.size() != w.size() || x.size() < 3 || x.size() > 2 + max_dims)
    return Error{shapes + "; expected one rank, 3 to 5"};
  if (growths.size() != x.size() - 2)
    return Error{shapes + " with " + std::to_string(growths.size()) + " strides"};
  if (groups < 1 || x[1] % groups != 0 || w[0] != x[1])
    return Error{shapes + " do not fit in " + std::to_string(groups) + " groups"};
  for (const Growth& g : growths)
    if (!is_valid(g))
      return Error{"stride " + std::to_string(g.stride) + ", dilation " +
                   std::to_string(g.dilation) + ", extent " + std::to_string(g.extent) +
                   "; expected positive ones"};
  return {};
}

}  // namespace

TensorId conv_transpose(ComputationBuilder& builder, const TensorId& x, const TensorId& weights,
                        const std::vector<Growth>& growths, std::int64_t groups,
                        std::string_view name) {
  const Tensor input = builder.tensor(x), filter = builder.tensor(weights);
  for (const DType dtype : {input.dtype, filter.dtype})
    if (dtype != DType::F32) return builder.refuse(name, undefined_for(dtype));
  const Result<void> fits = check_shapes(input.shape, filter.shape, growths, groups);
  if (!fits) return builder.refuse(name, fits.error().message);

  const std::int64_t group_inputs = input.shape[1] / groups, group_outputs = filter.shape[1];
  const Expr o = axis("o");
  const Expr channel = o / group_outputs * group_inputs + axis("c");
  std::vector<Axis> axes = {spatial("n", input.shape[0]), spatial("o", group_outputs * groups)};
  std::vector<Axis> reduces = {reduced("c", group_inputs)};
  std::vector<Expr> element = {axis("n"), channel}, tap = {channel, o % group_outputs};
  Expr meets = boolean(true);
  for (std::size_t d = 0; d < growths.size(); ++d) {
    const Growth& g = growths[d];
    const std::size_t letter = max_dims - growths.size() + d;
    const std::string position(1, "zyx"[letter]), step(1, "qrs"[letter]);
    axes.push_back(spatial(position, g.extent));
    reduces.push_back(reduced(step, filter.shape[d + 2]));
    const Expr distance = axis(position) + g.before - axis(step) * g.dilation;
    meets = meets && Expr(0) <= distance && distance < input.shape[d + 2] * g.stride;
    if (g.stride > 1) meets = meets && binary(BinaryOp::Equal, distance % g.stride, 0);
    element.push_back(distance / g.stride);
    tap.push_back(axis(step));
  }
  axes.insert(axes.end(), reduces.begin(), reduces.end());
  const Expr value = select(meets, builder.read(x, element), real(0));
  return builder.stage(name, std::move(axes), Reducer::Sum, value * builder.read(weights, tap));
}

}  // namespace tessera::ops
