#include "ops/pool.h"

#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/nodes/window_attributes.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

Result<PoolOptions> options_of(const Definition& d) {
  const Result<Shape> sizes = spatial_sizes(d.shape(0));
  if (!sizes) return sizes.error();
  const auto window = per_dimension(d, "kernel_shape", sizes->size(), 0);
  if (!window) return window.error();
  const Result<std::vector<Slide>> slides = slides_of(d, *sizes, *window);
  if (!slides) return slides.error();
  return PoolOptions{.window = *window, .slides = *slides};
}

void max_pool_node(Definition& d) {
  const Result<PoolOptions> options = options_of(d);
  if (!options) return d.refuse(options.error().message);
  const TensorId pooled = max_pool(d.b, d.input(0), *options, d.node().op);
  d.output(pooled);
  if (d.node().outputs.size() < 2 || d.b.refusal()) return;
  const ImageOrder order =
      d.integer("storage_order", 0) == 0 ? ImageOrder::RowMajor : ImageOrder::ColumnMajor;
  d.output(max_pool_indices(d.b, d.input(0), pooled, *options, order), ElementType::Int64);
}

void average_pool_node(Definition& d) {
  const Result<PoolOptions> options = options_of(d);
  if (!options) return d.refuse(options.error().message);
  const PoolCount count =
      d.integer("count_include_pad", 0) == 0 ? PoolCount::Elements : PoolCount::Taps;
  d.output(average_pool(d.b, d.input(0), *options, count, d.node().op));
}

/// The power of a norm: an integer, in the first version a real number.
Result<double> power_of(const Definition& d) {
  const double p = d.version() < 2 ? d.real("p", 2) : static_cast<double>(d.integer("p", 2));
  if (p > 0) return p;
  return Error{"p is " + number_text(p) + ", expected a positive number"};
}

void lp_pool_node(Definition& d) {
  const Result<PoolOptions> options = options_of(d);
  if (!options) return d.refuse(options.error().message);
  const Result<double> p = power_of(d);
  if (!p) return d.refuse(p.error().message);
  d.output(lp_pool(d.b, d.input(0), *options, *p, d.node().op));
}

template <Reduction Kind>
void global_pool_node(Definition& d) {
  d.output(global_pool(d.b, Kind, d.input(0), d.node().op));
}

void global_lp_pool(Definition& d) {
  const Result<Shape> sizes = spatial_sizes(d.shape(0));
  if (!sizes) return d.refuse(sizes.error().message);
  const Result<double> p = power_of(d);
  if (!p) return d.refuse(p.error().message);
  d.output(lp_pool(d.b, d.input(0), {.window = *sizes, .slides = {}}, *p, d.node().op));
}

/// The spatial extents that pooling reduced to those of x.
Result<Shape> unpooled_sizes(const Definition& d) {
  const Result<Shape> sizes = spatial_sizes(d.shape(0));
  if (!sizes) return sizes;
  const auto window = per_dimension(d, "kernel_shape", sizes->size(), 1);
  const auto strides = per_dimension(d, "strides", sizes->size(), 1);
  for (const auto* values : {&window, &strides})
    if (!*values) return values->error();
  const Result<Padding> pads = padding_of(d, sizes->size());
  if (!pads) return pads.error();
  Shape out;
  for (std::size_t n = 0; n < sizes->size(); ++n)
    out.push_back(((*sizes)[n] - 1) * (*strides)[n] + (*window)[n] - pads->before[n] -
                  pads->after[n]);
  return out;
}

/// Puts each value of x where its index says, zero elsewhere. Indices count through all images of
/// the result that the window implies; a larger result holds that one in its first corner.
///
///     result[n, c, place] = max(from) (index[n, c, from] == (n*C + c)*size + place ? x : -inf)
void max_unpool(Definition& d) {
  const Result<Shape> sizes = unpooled_sizes(d);
  if (!sizes) return d.refuse(sizes.error().message);
  Shape shape = d.shape(0);
  if (d.shape(1) != shape || dtype_of(d.type(1).element) != DType::I64)
    return d.refuse("indices of shape " + to_text(d.shape(1)) + ", expected i64" + to_text(shape));
  if (!is_float(dtype_of(d.type(0).element)))
    return d.refuse(undefined_for(dtype_of(d.type(0).element)));
  std::vector<Axis> from = d.b.axes(d.input(0));
  const std::vector<Expr> element = indices_of(from);
  for (std::size_t n = 2; n < shape.size(); ++n) {
    from[n].kind = AxisKind::Reduce;
    shape[n] = (*sizes)[n - 2];
  }
  if (d.has_input(2)) {
    const Result<std::vector<std::int64_t>> wanted = d.integers(2, "output shape");
    if (!wanted) return d.refuse(wanted.error().message);
    if (wanted->size() != shape.size())
      return d.refuse("output shape " + to_text(*wanted) + ", expected rank " +
                      std::to_string(shape.size()));
    shape = *wanted;
  }

  std::vector<Axis> axes = {from[0], from[1]};
  Expr place = element[0] * d.shape(0)[1] + element[1], is_inside = boolean(true);
  for (std::size_t n = 2; n < shape.size(); ++n) {
    const std::string name = "to" + std::to_string(n - 2);
    axes.push_back(spatial(name, shape[n]));
    is_inside = is_inside && axis(name) < (*sizes)[n - 2];
    place = place * (*sizes)[n - 2] + axis(name);
  }
  const Expr nothing = identity(Reducer::Max, DType::F32);
  const Expr is_hit = is_inside && binary(BinaryOp::Equal, d.b.read(d.input(1), element), place);
  const std::vector<Axis> outputs = axes;
  axes.insert(axes.end(), from.begin() + 2, from.end());
  const TensorId found = d.b.stage("found", axes, Reducer::Max,
                                   select(is_hit, d.b.read(d.input(0), element), nothing));
  const Expr value = d.b.read(found, indices_of(outputs));
  d.output(d.b.stage(d.node().op, outputs,
                     select(binary(BinaryOp::Equal, value, nothing), real(0), value)));
}

constexpr Op list[] = {
    {"", "AveragePool", average_pool_node},
    {"", "GlobalAveragePool", global_pool_node<Reduction::Mean>},
    {"", "GlobalLpPool", global_lp_pool},
    {"", "GlobalMaxPool", global_pool_node<Reduction::Max>},
    {"", "LpPool", lp_pool_node},
    {"", "MaxPool", max_pool_node},
    {"", "MaxUnpool", max_unpool, 2},
};

}  // namespace

std::span<const Op> pool_nodes() { return list; }

}  // namespace tessera::ops
