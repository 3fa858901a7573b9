#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/nodes/nodes.h"
#include "ops/nodes/window_attributes.h"
#include "ops/shape.h"

/// Convolutions whose taps lie where the network puts them (arXiv 1703.06211, 1811.11168).
namespace tessera::ops {
namespace {

enum : std::size_t { offsets_input = 2, bias_input = 3, mask_input = 4 };

/// An image [n, c, y, x] read between its elements; what lies outside is zero.
Expr between(const Definition& d, const std::vector<Expr>& place, const std::vector<Expr>& image) {
  const Shape& shape = d.shape(0);
  std::vector<Expr> first, fraction;
  for (const Expr& at : place) {
    first.push_back(tessera::cast(DType::I64, unary(UnaryOp::Floor, at)));
    fraction.push_back(at - unary(UnaryOp::Floor, at));
  }
  Expr sum = real(0);
  for (const std::int64_t below : {0, 1})
    for (const std::int64_t right : {0, 1}) {
      const Expr y = first[0] + below, x = first[1] + right;
      const Expr is_inside = 0 <= y && y < shape[2] && 0 <= x && x < shape[3];
      const Expr weight = (below == 1 ? fraction[0] : real(1) - fraction[0]) *
                          (right == 1 ? fraction[1] : real(1) - fraction[1]);
      const Expr value = d.b.read(d.input(0), {image[0], image[1], y, x});
      sum = sum + weight * select(is_inside, value, real(0));
    }
  return sum;
}

/// The window, and how many channels share the offsets of a tap.
struct Deformed {
  Window window;
  std::int64_t taps = 1;
  std::int64_t channels_per_offset = 1;
};

Result<Deformed> deformed_of(const Definition& d) {
  const Shape &image = d.shape(0), &weights = d.shape(1);
  const std::int64_t groups = d.integer("group", 1), offset_groups = d.integer("offset_group", 1);
  if (image.size() != 4 || weights.size() != 4 || groups < 1 || offset_groups < 1 ||
      weights[1] * groups != image[1] || weights[0] % groups != 0 || image[1] % offset_groups != 0)
    return Error{"input " + to_text(image) + " and weights " + to_text(weights) + " in " +
                 std::to_string(groups) + " groups and " + std::to_string(offset_groups) +
                 " of offsets, expected images of four dimensions that these divide"};
  const Shape sizes = {image[2], image[3]}, extents = {weights[2], weights[3]};
  const auto slides = slides_of(d, sizes, extents);
  if (!slides) return slides.error();
  const auto window = slide(sizes, extents, *slides);
  if (!window) return window.error();
  Deformed out{*window, weights[2] * weights[3], image[1] / offset_groups};
  const auto expected = [&](std::int64_t count) {
    return Shape{image[0], offset_groups * out.taps * count, window->positions[0].extent,
                 window->positions[1].extent};
  };
  for (const auto& [input, count] : {std::pair{offsets_input, 2}, {mask_input, 1}})
    if (d.has_input(input) && d.shape(input) != expected(count))
      return Error{"input " + std::to_string(input) + " of shape " + to_text(d.shape(input)) +
                   ", expected " + to_text(expected(count))};
  return out;
}

/// y = sum(c, r, s) w[o, c, r, s] mask x[n, c, place of (y, x, r, s) + offset]
void deform_conv(Definition& d) {
  const auto deformed = deformed_of(d);
  if (!deformed) return d.refuse(deformed.error().message);
  const auto& [window, taps, shared] = *deformed;
  const Shape &image = d.shape(0), &weights = d.shape(1);
  const Axis &y = window.positions[0], &x = window.positions[1];
  const Expr n = axis("n"), at_y = axis(y.name), at_x = axis(x.name);
  const Expr tap = axis("c") / shared * taps + window.tap[0] * weights[3] + window.tap[1];
  std::vector<Expr> place;
  for (std::int64_t dim = 0; dim < 2; ++dim)
    place.push_back(tessera::cast(DType::F32, window.element[static_cast<std::size_t>(dim)]) +
                    d.b.read(d.input(offsets_input), {n, tap * 2 + dim, at_y, at_x}));
  Expr sampled = between(d, place, {n, axis("c")});
  if (d.has_input(mask_input))
    sampled = sampled * d.b.read(d.input(mask_input), {n, tap, at_y, at_x});
  const TensorId columns = d.b.stage("columns",
                                     {spatial("n", image[0]), spatial("c", image[1]),
                                      spatial("r", weights[2]), spatial("s", weights[3]), y, x},
                                     sampled);
  const std::int64_t outputs_per_group = weights[0] / d.integer("group", 1);
  const Expr channel = axis("o") / outputs_per_group * weights[1] + axis("i");
  const TensorId product =
      d.b.stage(d.node().op,
                {spatial("n", image[0]), spatial("o", weights[0]), y, x, reduced("i", weights[1]),
                 reduced("r", weights[2]), reduced("s", weights[3])},
                Reducer::Sum,
                d.b.read(columns, {n, channel, axis("r"), axis("s"), at_y, at_x}) *
                    d.b.read(d.input(1), {axis("o"), axis("i"), axis("r"), axis("s")}));
  d.output(d.has_input(bias_input) ? add_bias(d.b, product, d.input(bias_input), 1, "bias")
                                   : product);
}

constexpr Op list[] = {
    {"", "DeformConv", deform_conv, 3},
};

}  // namespace

std::span<const Op> deform_conv_nodes() { return list; }

}  // namespace tessera::ops
