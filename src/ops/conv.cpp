#include "ops/conv.h"

#include "base/text.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

Result<void> check_channels(const Shape& x, const Shape& w, std::int64_t groups) {
  const std::string shapes = "input " + to_text(x) + " and weights " + to_text(w);
  if (x.size() != w.size() || x.size() < 3)
    return Error{shapes + "; expected one rank, at least 3"};
  if (groups < 1 || w[0] % groups != 0)
    return Error{std::to_string(groups) + " groups do not divide " + std::to_string(w[0]) +
                 " output channels"};
  if (x[1] % groups != 0 || w[1] != x[1] / groups)
    return Error{shapes + " do not fit: " + std::to_string(x[1]) + " channels in " +
                 std::to_string(groups) + " groups of " + std::to_string(w[1])};
  return {};
}

void append(std::vector<Expr>& indices, const std::vector<Expr>& more) {
  indices.insert(indices.end(), more.begin(), more.end());
}

}  // namespace

TensorId conv(ComputationBuilder& builder, const TensorId& x, const TensorId& weights,
              const ConvOptions& options, std::string_view name) {
  const Tensor input = builder.tensor(x), filter = builder.tensor(weights);
  for (const DType dtype : {input.dtype, filter.dtype})
    if (dtype != DType::F32) return builder.refuse(name, undefined_for(dtype));
  const Result<void> fits = check_channels(input.shape, filter.shape, options.groups);
  if (!fits) return builder.refuse(name, fits.error().message);
  const Shape sizes(input.shape.begin() + 2, input.shape.end());
  const Shape extents(filter.shape.begin() + 2, filter.shape.end());
  const Result<Window> window = slide(sizes, extents, options.slides);
  if (!window) return builder.refuse(name, window.error().message);

  const std::int64_t group_outputs = filter.shape[0] / options.groups;
  const std::int64_t group_inputs = filter.shape[1];
  const Expr n = axis("n"), o = axis("o"), c = group_inputs == 1 ? Expr(0) : axis("c");
  std::vector<Axis> axes = {spatial("n", input.shape[0]), spatial("o", filter.shape[0])};
  axes.insert(axes.end(), window->positions.begin(), window->positions.end());
  if (group_inputs != 1) axes.push_back(reduced("c", group_inputs));
  axes.insert(axes.end(), window->taps.begin(), window->taps.end());

  std::vector<Expr> element = {n, o / group_outputs * group_inputs + c}, tap = {o, c};
  append(element, window->element);
  append(tap, window->tap);
  const Expr value = select(window->is_inside, builder.read(x, element), real(0));
  return builder.stage(name, std::move(axes), Reducer::Sum, value * builder.read(weights, tap));
}

}  // namespace tessera::ops
