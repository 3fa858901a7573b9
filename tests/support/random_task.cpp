#include "support/random_task.h"

#include "base/check.h"
#include "ops/activation.h"
#include "ops/conv.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/norm.h"
#include "ops/pool.h"
#include "ops/rearrange.h"
#include "ops/reduce.h"
#include "ops/softmax.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr double max_flops = 40'000;
/// Longer sums differ with their order by more than a comparison should forgive.
constexpr std::int64_t max_reduction = 200;

/// Draws the parts of one computation. Arguments of one call draw at most once: their order is not
/// fixed.
struct Draw {
  Rng& rng;
  ComputationBuilder builder = {};

  std::int64_t extent() {
    constexpr std::int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33};
    return rng.pick<std::int64_t>(extents);
  }
  Shape shape(std::int64_t min_rank, std::int64_t max_rank) {
    Shape out(static_cast<std::size_t>(rng.between(min_rank, max_rank)));
    for (std::int64_t& e : out) e = extent();
    return out;
  }
  /// A dimension of `shape`, half the time counted from the end.
  std::int64_t dim(const Shape& shape) {
    const auto rank = static_cast<std::int64_t>(shape.size());
    const std::int64_t from_front = rng.below(rank);
    return rng.chance(0.5) ? from_front : from_front - rank;
  }
  /// A shape that broadcasts to `shape`.
  Shape broadcastable(Shape shape) {
    shape.erase(shape.begin(),
                shape.begin() + rng.below(static_cast<std::int64_t>(shape.size()) + 1));
    for (std::int64_t& e : shape)
      if (rng.chance(0.3)) e = 1;
    return shape;
  }
  TensorId operand(const Shape& shape, DType dtype = DType::F32) {
    return rng.chance(0.7) ? builder.input("x", shape, dtype) : builder.constant("c", shape, dtype);
  }
  /// An operand, or a function of one.
  TensorId tensor(const Shape& shape) {
    const TensorId x = operand(shape);
    return rng.chance(0.25) ? function(x) : x;
  }
  /// A smooth function of `x`, or one with kinks but no jumps.
  TensorId function(const TensorId& x) {
    switch (rng.below(9)) {
      case 0:
        return ops::relu(builder, x);
      case 1:
        return ops::gelu(builder, x);
      case 2:
        return ops::gelu_tanh(builder, x);
      case 3:
        return ops::silu(builder, x);
      case 4:
        return ops::hardswish(builder, x);
      case 5:
        return ops::leaky_relu(builder, x, 0.125);
      case 6:
        return ops::clip(builder, x, -0.5, 0.75);
      case 7:
        return ops::softplus(builder, x);
      default:
        return ops::mul(builder, x, operand(broadcastable(builder.shape(x))));
    }
  }
  /// What may follow an op.
  TensorId epilogue(const TensorId& x) {
    const Shape shape = builder.shape(x);
    switch (shape.empty() ? 0 : rng.below(7)) {
      case 0:
      case 1:
        return function(x);
      case 2:
        return ops::add(builder, x, operand(broadcastable(shape)));
      case 3:
        return ops::add_bias(builder, x, operand({shape.back()}));
      case 4:
        return ops::softmax(builder, ops::unary(builder, UnaryOp::Tanh, x, "tanh"), dim(shape));
      case 5:
        return ops::reduce(builder, Reduction::Mean, x,
                           {.dims = {dim(shape)}, .keeps_dims = rng.chance(0.5)});
      default:
        return ops::reshape(builder, x, {element_count(shape)});
    }
  }
  std::vector<ops::Slide> slides(std::size_t count) {
    std::vector<ops::Slide> out;
    for (std::size_t n = 0; n < count; ++n)
      out.push_back({.stride = rng.between(1, 2),
                     .dilation = rng.chance(0.8) ? 1 : 2,
                     .before = rng.below(2),
                     .after = rng.below(2)});
    return out;
  }
};

TensorId draw_matmul(Draw& draw) {
  const std::int64_t m = draw.extent(), n = draw.extent(), k = draw.extent();
  const ops::MatmulOptions options{.transpose_a = draw.rng.chance(0.3),
                                   .transpose_b = draw.rng.chance(0.3)};
  Shape a = options.transpose_a ? Shape{k, m} : Shape{m, k};
  Shape b = options.transpose_b ? Shape{n, k} : Shape{k, n};
  if (draw.rng.chance(0.3)) {
    const std::int64_t batch = draw.rng.between(1, 3);
    a.insert(a.begin(), batch);
    if (draw.rng.chance(0.5)) b.insert(b.begin(), draw.rng.chance(0.5) ? batch : 1);
  }
  const TensorId left = draw.tensor(a);
  return ops::matmul(draw.builder, left, draw.tensor(b), options);
}

TensorId draw_conv(Draw& draw) {
  const std::size_t rank =
      draw.rng.chance(0.8) ? 2 : static_cast<std::size_t>(draw.rng.between(1, 3));
  const std::int64_t groups = draw.rng.between(1, 3);
  const std::int64_t inputs = draw.rng.between(1, 5), outputs = draw.rng.between(1, 5);
  const bool is_depthwise = draw.rng.chance(0.3);
  Shape x = {draw.rng.between(1, 2), groups * (is_depthwise ? 1 : inputs)};
  Shape w = {groups * (is_depthwise ? 1 : outputs), is_depthwise ? 1 : inputs};
  for (std::size_t d = 0; d < rank; ++d) {
    x.push_back(draw.rng.between(5, 11));
    w.push_back(draw.rng.between(1, 3));
  }
  const TensorId image = draw.tensor(x);
  const TensorId weights = draw.operand(w);
  return ops::conv(draw.builder, image, weights, {.slides = draw.slides(rank), .groups = groups});
}

TensorId draw_pool(Draw& draw) {
  const TensorId x = draw.tensor(
      {draw.rng.between(1, 2), draw.extent(), draw.rng.between(5, 9), draw.rng.between(5, 9)});
  if (draw.rng.chance(0.2))
    return ops::global_pool(draw.builder, draw.rng.chance(0.5) ? Reduction::Mean : Reduction::Max,
                            x);
  const ops::PoolOptions options{.window = {draw.rng.between(2, 3), draw.rng.between(2, 3)},
                                 .slides = draw.slides(2)};
  if (draw.rng.chance(0.5)) return ops::max_pool(draw.builder, x, options);
  const auto count = draw.rng.chance(0.5) ? ops::PoolCount::Taps : ops::PoolCount::Elements;
  return ops::average_pool(draw.builder, x, options, count);
}

TensorId draw_binary(Draw& draw) {
  constexpr BinaryOp operators[] = {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Min,
                                    BinaryOp::Max};
  const Shape shape = draw.shape(1, 4);
  const TensorId x = draw.tensor(shape), y = draw.tensor(draw.broadcastable(shape));
  return ops::binary(draw.builder, draw.rng.pick<BinaryOp>(operators), x, y, "binary");
}

/// Comparisons and what they choose, of operands only.
TensorId draw_where(Draw& draw) {
  constexpr BinaryOp operators[] = {BinaryOp::Less, BinaryOp::LessEqual, BinaryOp::Equal};
  const Shape shape = draw.shape(1, 3);
  const DType dtype = draw.rng.chance(0.5) ? DType::F32 : DType::I64;
  const TensorId x = draw.operand(shape, dtype), y = draw.operand(draw.broadcastable(shape), dtype);
  const TensorId condition =
      ops::binary(draw.builder, draw.rng.pick<BinaryOp>(operators), x, y, "condition");
  if (draw.rng.chance(0.3)) return ops::cast(draw.builder, condition, DType::F32);
  const TensorId yes = draw.tensor(shape);
  return ops::where(draw.builder, condition, yes, draw.tensor(draw.broadcastable(shape)));
}

/// Rounding and division, of operands only.
TensorId draw_rounding(Draw& draw) {
  const Shape shape = draw.shape(1, 3);
  const TensorId x = draw.operand(shape);
  switch (draw.rng.below(4)) {
    case 0:
      return ops::unary(draw.builder, UnaryOp::Floor, x, "floor");
    case 1:
      return ops::sign(draw.builder, x);
    case 2:
      return ops::cast(draw.builder, draw.operand(shape, DType::I32), DType::F32);
    default:
      return ops::div(draw.builder, x,
                      ops::clip(draw.builder, draw.operand(draw.broadcastable(shape)), 0.25, 1));
  }
}

TensorId draw_reduce(Draw& draw) {
  const Shape shape = draw.shape(1, 4);
  ops::ReduceOptions options{.dims = {}, .keeps_dims = draw.rng.chance(0.4)};
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (draw.rng.chance(0.4)) options.dims.push_back(static_cast<std::int64_t>(d));
  const TensorId x = draw.tensor(shape);
  return ops::reduce(draw.builder, static_cast<Reduction>(draw.rng.below(7)), x, options);
}

TensorId draw_softmax(Draw& draw) {
  const Shape shape = draw.shape(1, 3);
  const TensorId x = draw.tensor(shape);
  return draw.rng.chance(0.7) ? ops::softmax(draw.builder, x, draw.dim(shape))
                              : ops::log_softmax(draw.builder, x, draw.dim(shape));
}

TensorId draw_norm(Draw& draw) {
  const Shape shape = draw.shape(2, 4);
  const TensorId x = draw.tensor(shape);
  const ops::NormOptions options{.first_dim = draw.dim(shape), .epsilon = 1e-2};
  const TensorId scale = draw.operand({shape.back()});
  if (draw.rng.chance(0.4)) return ops::rms_norm(draw.builder, x, scale, options);
  return ops::layer_norm(draw.builder, x, scale, draw.operand({shape.back()}), options);
}

TensorId draw_batch_norm(Draw& draw) {
  const Shape shape = draw.shape(2, 4), channels = {shape[1]};
  const TensorId x = draw.tensor(shape);
  const TensorId variance = ops::softplus(draw.builder, draw.operand(channels));  // positive
  return ops::batch_norm(draw.builder, x,
                         {.scale = draw.operand(channels),
                          .bias = draw.operand(channels),
                          .mean = draw.operand(channels),
                          .variance = variance});
}

TensorId draw_transpose(Draw& draw) {
  const Shape shape = draw.shape(2, 4);
  std::vector<std::int64_t> order;
  for (std::size_t d = 0; d < shape.size(); ++d)
    order.insert(order.begin() + draw.rng.below(static_cast<std::int64_t>(d) + 1),
                 static_cast<std::int64_t>(d));
  return ops::transpose(draw.builder, draw.tensor(shape), order);
}

TensorId draw_reshape(Draw& draw) {
  const std::int64_t a = draw.extent(), b = draw.extent(), c = draw.extent();
  const Shape shapes[] = {{a, b, c}, {a * b, c}, {a, b * c}, {a * b * c}, {c, a, 1, b}, {b * c, a}};
  const TensorId x = draw.tensor(draw.rng.pick<Shape>(shapes));
  return ops::reshape(draw.builder, x, draw.rng.pick<Shape>(shapes));
}

TensorId draw_concat(Draw& draw) {
  Shape shape = draw.shape(1, 3);
  const std::int64_t dim = draw.rng.below(static_cast<std::int64_t>(shape.size()));
  std::vector<TensorId> parts;
  for (std::int64_t n = draw.rng.between(1, 4); n > 0; --n) {
    shape[static_cast<std::size_t>(dim)] = draw.rng.between(1, 7);
    parts.push_back(draw.tensor(shape));
  }
  return ops::concat(draw.builder, parts, dim);
}

TensorId draw_slice(Draw& draw) {
  const Shape shape = draw.shape(1, 3);
  const std::int64_t dim = draw.rng.below(static_cast<std::int64_t>(shape.size()));
  const std::int64_t extent = shape[static_cast<std::size_t>(dim)];
  const std::int64_t low = draw.rng.below(extent), high = draw.rng.between(low + 1, extent);
  const std::int64_t step = draw.rng.between(1, 3);
  const ops::Range forward{.dim = dim, .start = low, .end = high, .step = step};
  const ops::Range backward{.dim = dim, .start = high - 1, .end = low - 1 - extent, .step = -step};
  const TensorId x = draw.tensor(shape);
  return ops::slice(draw.builder, x, {draw.rng.chance(0.5) ? forward : backward});
}

TensorId draw_pad(Draw& draw) {
  const Shape shape = draw.shape(1, 3);
  std::vector<std::int64_t> before, after;
  for (const std::int64_t e : shape) {
    before.push_back(draw.rng.below(3));
    after.push_back(draw.rng.between(e > 1 ? -1 : 0, 2));
  }
  const TensorId x = draw.tensor(shape);
  return ops::pad(draw.builder, x, before, after, real(draw.rng.chance(0.5) ? 0 : 1.5));
}

TensorId draw_gather(Draw& draw) {
  const Shape shape = draw.shape(1, 3);
  const TensorId x = draw.tensor(shape);
  const DType dtype = draw.rng.chance(0.7) ? DType::I64 : DType::I32;
  const TensorId indices = draw.operand(draw.shape(0, 2), dtype);
  return ops::gather(draw.builder, x, indices, draw.dim(shape));
}

TensorId draw_repeat(Draw& draw) {
  const Shape shape = draw.shape(1, 3);
  if (draw.rng.chance(0.2)) return ops::copy(draw.builder, draw.operand(shape));
  if (draw.rng.chance(0.5))
    return ops::expand(draw.builder, draw.tensor(draw.broadcastable(shape)), shape);
  std::vector<std::int64_t> repeats;
  for (std::size_t d = 0; d < shape.size(); ++d) repeats.push_back(draw.rng.between(1, 3));
  return ops::tile(draw.builder, draw.tensor(shape), repeats);
}

TensorId draw_function(Draw& draw) { return draw.function(draw.operand(draw.shape(1, 4))); }

/// Those with the most schedules come more than once.
using Family = TensorId (*)(Draw& draw);
constexpr Family families[] = {
    draw_matmul,  draw_matmul, draw_matmul, draw_conv,       draw_conv,      draw_conv,
    draw_pool,    draw_binary, draw_where,  draw_rounding,   draw_reduce,    draw_reduce,
    draw_softmax, draw_norm,   draw_norm,   draw_batch_norm, draw_transpose, draw_reshape,
    draw_concat,  draw_slice,  draw_pad,    draw_gather,     draw_repeat,    draw_function};

std::int64_t longest_reduction(const Computation& computation) {
  std::int64_t longest = 1;
  for (const Stage& stage : computation.stages) {
    std::int64_t length = 1;
    for (const Axis& a : stage.axes)
      if (a.kind == AxisKind::Reduce) length *= a.extent;
    longest = std::max(longest, length);
  }
  return longest;
}

}  // namespace

Computation random_computation(Rng& rng) {
  while (true) {
    Draw draw{rng};
    const TensorId result = rng.pick<Family>(families)(draw);
    TensorId last = result;
    for (int n = 0; n < 3 && rng.chance(0.4); ++n) last = draw.epilogue(last);
    if (last != result && rng.chance(0.2)) draw.builder.output(result);
    draw.builder.output(last);
    Result<Computation> drawn = draw.builder.finish("random");
    check(drawn.has_value(), drawn ? "a valid draw" : drawn.error().message);
    if (flops(*drawn) <= max_flops && longest_reduction(*drawn) <= max_reduction)
      return *std::move(drawn);
  }
}

}  // namespace tessera
