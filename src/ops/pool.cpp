#include "ops/pool.h"

#include "base/text.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

/// A window over the spatial dimensions of a tensor whose first two are batch and channel.
struct Pool {
  Window window;
  std::vector<Axis> outputs;
  std::vector<Axis> axes;  // outputs, then taps
  Expr element;            // of the tensor; only where the window is inside
};

Result<Pool> pool_over(const ComputationBuilder& builder, const TensorId& x,
                       const PoolOptions& options) {
  const Shape shape = builder.shape(x);
  if (shape.size() < 3) return Error{"shape " + to_text(shape) + "; expected rank 3 or more"};
  if (!is_float(builder.dtype(x))) return Error{undefined_for(builder.dtype(x))};
  Result<Window> window = slide({shape.begin() + 2, shape.end()}, options.window, options.slides);
  if (!window) return window.error();
  if (window->misses)
    return Error{"window " + to_text(options.window) + " sees nothing but padding somewhere"};

  std::vector<Axis> outputs = {spatial("n", shape[0]), spatial("c", shape[1])};
  outputs.insert(outputs.end(), window->positions.begin(), window->positions.end());
  std::vector<Axis> axes = outputs;
  axes.insert(axes.end(), window->taps.begin(), window->taps.end());
  std::vector<Expr> indices = {axis("n"), axis("c")};
  indices.insert(indices.end(), window->element.begin(), window->element.end());
  return Pool{*std::move(window), std::move(outputs), std::move(axes),
              builder.read(x, std::move(indices))};
}

bool is_padded(const PoolOptions& options) {
  for (const Slide& s : options.slides)
    if (s.before != 0 || s.after != 0) return true;
  return false;
}

}  // namespace

TensorId max_pool(ComputationBuilder& builder, const TensorId& x, const PoolOptions& options,
                  std::string_view name) {
  const Result<Pool> pool = pool_over(builder, x, options);
  if (!pool) return builder.refuse(name, pool.error().message);
  return builder.stage(
      name, pool->axes, Reducer::Max,
      select(pool->window.is_inside, pool->element, identity(Reducer::Max, pool->element.dtype())));
}

TensorId average_pool(ComputationBuilder& builder, const TensorId& x, const PoolOptions& options,
                      PoolCount count, std::string_view name) {
  const Result<Pool> pool = pool_over(builder, x, options);
  if (!pool) return builder.refuse(name, pool.error().message);
  const Expr element = select(pool->window.is_inside, pool->element, real(0));
  if (count == PoolCount::Taps || !is_padded(options)) {
    const auto taps = static_cast<double>(element_count(options.window));
    return builder.stage(name, pool->axes, Reducer::Sum, element * real(1 / taps));
  }
  const TensorId sum = builder.stage(std::string(name) + "_sum", pool->axes, Reducer::Sum, element);
  Expr hits = 1;
  for (const Expr& h : pool->window.hits) hits = hits * h;
  return builder.stage(
      name, pool->outputs,
      builder.read(sum, indices_of(pool->outputs)) / tessera::cast(DType::F32, hits));
}

TensorId global_pool(ComputationBuilder& builder, Reduction reduction, const TensorId& x,
                     std::string_view name) {
  const Shape shape = builder.shape(x);
  if (shape.size() < 3)
    return builder.refuse(name, "shape " + to_text(shape) + "; expected rank 3 or more");
  ReduceOptions options{.dims = {}, .keeps_dims = true};
  for (std::size_t d = 2; d < shape.size(); ++d)
    options.dims.push_back(static_cast<std::int64_t>(d));
  return reduce(builder, reduction, x, options, name);
}

}  // namespace tessera::ops
