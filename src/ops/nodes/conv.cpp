#include "ops/conv.h"

#include "base/text.h"
#include "ops/conv_transpose.h"
#include "ops/elementwise.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/nodes/quantization.h"
#include "ops/nodes/window_attributes.h"
#include "ops/shape.h"

#include <algorithm>

namespace tessera::ops {
namespace {

/// The convolution of x with weights [O, I, ..] by the node's attributes.
TensorId convolution(const Definition& d, const TensorId& x, const TensorId& weights,
                     std::string_view name) {
  const Shape input = d.b.shape(x), filter = d.b.shape(weights);
  const Result<Shape> sizes = spatial_sizes(input), extents = spatial_sizes(filter);
  for (const Result<Shape>* part : {&sizes, &extents})
    if (!*part) return d.b.refuse(d.node().title(), part->error().message);
  if (sizes->size() != extents->size())
    return d.b.refuse(d.node().title(), "input " + to_text(input) + " and weights " +
                                            to_text(filter) + "; expected one rank");
  const Result<std::vector<Slide>> slides = slides_of(d, *sizes, *extents);
  if (!slides) return d.b.refuse(d.node().title(), slides.error().message);
  return conv(d.b, x, weights, {.slides = *slides, .groups = d.integer("group", 1)}, name);
}

void conv_node(Definition& d) {
  const TensorId product = convolution(d, d.input(0), d.input(1), d.node().op);
  d.output(d.has_input(2) ? add_bias(d.b, product, d.input(2), 1, "bias") : product);
}

TensorId as_real(const Definition& d, const TensorId& x) { return cast(d.b, x, DType::F32); }

/// Inputs: x, weights and their zero points. Sums are exact below 2^24.
void conv_integer(Definition& d) {
  const TensorId x = as_real(d, centred(d, 0, 2, {})), w = as_real(d, centred(d, 1, 3, {.dim = 0}));
  d.output(cast(d.b, convolution(d, x, w, "product"), DType::I32, d.node().op), ElementType::Int32);
}

/// Inputs: x, its scale and zero point; weights and theirs; the scale and zero point of the result;
/// a bias in units of both scales.
void quantized_conv(Definition& d) {
  const TensorId x = as_real(d, centred(d, 0, 2, {})), w = as_real(d, centred(d, 3, 5, {.dim = 0}));
  TensorId sum = convolution(d, x, w, "product");
  if (d.has_input(8)) sum = add_bias(d.b, sum, as_real(d, d.input(8)), 1, "bias");
  d.output(
      requantized(d, sum,
                  {.x_scale = 1, .w_scale = 4, .y_scale = 6, .y_zero = 7, .x_dim = 1, .w_dim = 1}),
      d.type(7).element);
}

/// Padding is what the wanted extent leaves over, or what the attributes say.
Result<std::vector<Growth>> growths_of(const Definition& d, const Shape& sizes,
                                       const Shape& extents) {
  const std::size_t rank = sizes.size();
  const auto strides = per_dimension(d, "strides", rank, 1);
  const auto dilations = per_dimension(d, "dilations", rank, 1);
  const auto more = per_dimension(d, "output_padding", rank, 0);
  for (const auto* values : {&strides, &dilations, &more})
    if (!*values) return values->error();
  const Result<Padding> pads = padding_of(d, rank);
  if (!pads) return pads.error();
  std::vector<std::int64_t> wanted = d.integers("output_shape");
  if (wanted.size() == rank + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!wanted.empty() && wanted.size() != rank)
    return Error{"output_shape is " + to_text(wanted) + ", expected one value for each of " +
                 std::to_string(rank) + " spatial dimensions"};
  const std::string automatic = d.text("auto_pad", "NOTSET");
  const bool is_same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";

  std::vector<Growth> growths;
  for (std::size_t n = 0; n < rank; ++n) {
    Growth g{.stride = (*strides)[n], .dilation = (*dilations)[n], .before = 0, .extent = 1};
    const std::int64_t whole =
        g.stride * (sizes[n] - 1) + (*more)[n] + (extents[n] - 1) * g.dilation + 1;
    if (wanted.empty() && !is_same) {
      g.before = automatic == "VALID" ? 0 : pads->before[n];
      g.extent = whole - g.before - (automatic == "VALID" ? 0 : pads->after[n]);
    } else {
      g.extent = wanted.empty() ? sizes[n] * g.stride : wanted[n];
      const std::int64_t total = std::max<std::int64_t>(whole - g.extent, 0);
      g.before = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
    }
    growths.push_back(g);
  }
  return growths;
}

void conv_transpose_node(Definition& d) {
  const Result<Shape> sizes = spatial_sizes(d.shape(0)), extents = spatial_sizes(d.shape(1));
  for (const Result<Shape>* part : {&sizes, &extents})
    if (!*part) return d.refuse(part->error().message);
  if (sizes->size() != extents->size())
    return d.refuse("input " + to_text(d.shape(0)) + " and weights " + to_text(d.shape(1)) +
                    "; expected one rank");
  const Result<std::vector<Growth>> growths = growths_of(d, *sizes, *extents);
  if (!growths) return d.refuse(growths.error().message);
  const TensorId product =
      conv_transpose(d.b, d.input(0), d.input(1), *growths, d.integer("group", 1), d.node().op);
  d.output(d.has_input(2) ? add_bias(d.b, product, d.input(2), 1, "bias") : product);
}

constexpr Op list[] = {
    {"", "Conv", conv_node, 2},
    {"", "ConvInteger", conv_integer, 2},
    {"", "ConvTranspose", conv_transpose_node, 2},
    {"", "QLinearConv", quantized_conv, 8},
};

}  // namespace

std::span<const Op> conv_nodes() { return list; }

}  // namespace tessera::ops
