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
  if (builder.dtype(x) == DType::Bool) return Error{undefined_for(DType::Bool)};
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

/// Whether all windows see as many elements.
bool sees_all(const PoolOptions& options, PoolCount count) {
  for (const Slide& s : options.slides) {
    if (s.overhang != 0) return false;
    if (count == PoolCount::Elements && (s.before != 0 || s.after != 0)) return false;
  }
  return true;
}

Expr product(const std::vector<Expr>& factors) {
  Expr all = 1;
  for (const Expr& f : factors) all = all * f;
  return all;
}

/// The position of an element among those of its image.
Expr position_in_image(const Window& window, const Shape& sizes, ImageOrder order) {
  const std::size_t rank = sizes.size();
  Expr position = 0;
  for (std::size_t n = 0; n < rank; ++n) {
    const std::size_t d = order == ImageOrder::RowMajor ? n : rank - 1 - n;
    position = position * sizes[d] + window.element[d];
  }
  return position;
}

Expr magnitude_to(const Expr& e, double p) {
  if (p == 2) return e * e;
  const Expr magnitude = unary(UnaryOp::Abs, e);
  return p == 1 ? magnitude : binary(BinaryOp::Pow, magnitude, real(p));
}

Expr root_of(const Expr& e, double p) {
  if (p == 2) return unary(UnaryOp::Sqrt, e);
  return p == 1 ? e : binary(BinaryOp::Pow, e, real(1 / p));
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

TensorId max_pool_indices(ComputationBuilder& builder, const TensorId& x, const TensorId& pooled,
                          const PoolOptions& options, ImageOrder order, std::string_view name) {
  const Result<Pool> pool = pool_over(builder, x, options);
  if (!pool) return builder.refuse(name, pool.error().message);
  const Shape shape = builder.shape(x);
  const Shape sizes(shape.begin() + 2, shape.end());
  const Expr image = axis("n") * shape[1] + axis("c");
  const Expr position =
      image * element_count(sizes) + position_in_image(pool->window, sizes, order);
  const Expr is_hit =
      binary(BinaryOp::Equal, pool->element, builder.read(pooled, indices_of(pool->outputs)));
  const Expr beyond = element_count(shape);
  return builder.stage(name, pool->axes, Reducer::Min,
                       select(pool->window.is_inside, select(is_hit, position, beyond), beyond));
}

TensorId average_pool(ComputationBuilder& builder, const TensorId& x, const PoolOptions& options,
                      PoolCount count, std::string_view name) {
  const Result<Pool> pool = pool_over(builder, x, options);
  if (!pool) return builder.refuse(name, pool.error().message);
  if (!is_float(builder.dtype(x))) return builder.refuse(name, undefined_for(builder.dtype(x)));
  const Expr element = select(pool->window.is_inside, pool->element, real(0));
  if (sees_all(options, count)) {
    const auto taps = static_cast<double>(element_count(options.window));
    return builder.stage(name, pool->axes, Reducer::Sum, element * real(1 / taps));
  }
  const TensorId sum = builder.stage(std::string(name) + "_sum", pool->axes, Reducer::Sum, element);
  const Expr divisor =
      product(count == PoolCount::Elements ? pool->window.hits : pool->window.reach);
  return builder.stage(
      name, pool->outputs,
      builder.read(sum, indices_of(pool->outputs)) / tessera::cast(DType::F32, divisor));
}

TensorId lp_pool(ComputationBuilder& builder, const TensorId& x, const PoolOptions& options,
                 double p, std::string_view name) {
  const Result<Pool> pool = pool_over(builder, x, options);
  if (!pool) return builder.refuse(name, pool.error().message);
  if (!is_float(builder.dtype(x))) return builder.refuse(name, undefined_for(builder.dtype(x)));
  const TensorId sum =
      builder.stage(std::string(name) + "_sum", pool->axes, Reducer::Sum,
                    select(pool->window.is_inside, magnitude_to(pool->element, p), real(0)));
  return builder.stage(name, pool->outputs,
                       root_of(builder.read(sum, indices_of(pool->outputs)), p));
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
