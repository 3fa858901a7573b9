// Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", the smallest size.
#include "zoo/networks.h"
#include "zoo/transformer.h"

#include <limits>
#include <numbers>
#include <string>

namespace tessera::networks {
namespace {

constexpr Heads heads{.count = 12, .size = 64};
constexpr std::int64_t width = heads.width();
constexpr int layers = 12;
constexpr std::int64_t vocabulary = 50257;
constexpr std::int64_t most_positions = 1024;
constexpr double epsilon = 1e-5;
constexpr double branch_gain = 0.5;  // of residual branches, so that sums of many stay sane

/// Keys and values, [1, heads, rows, size] each.
struct Cache {
  ValueId keys;
  ValueId values;
};

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
ValueId gelu_tanh(Network& net, const ValueId& x) {
  const auto times = [&](const ValueId& a, double b) { return net.op("Mul", {a, net.real(b)}); };
  const ValueId cube = net.op("Pow", {x, net.real(3)});
  const ValueId inner =
      times(net.add(x, times(cube, 0.044715)), std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
  const ValueId factor = net.add(net.op("Tanh", {inner}), net.real(1));
  return net.op("Mul", {times(x, 0.5), factor});
}

/// Reshaped to the first two extents of `like`, which the network itself asks for, and `last`.
ValueId view(Network& net, const ValueId& x, const ValueId& like,
             const std::vector<std::int64_t>& last) {
  const ValueId shape = net.op("Shape", {like});
  std::vector<ValueId> extents;
  for (const std::int64_t axis : {0, 1}) {
    const ValueId extent = net.op("Gather", {shape, net.integer(axis)});
    extents.push_back(net.op("Unsqueeze", {extent, net.integers({0})}));
  }
  extents.push_back(net.integers(last));
  return net.op("Reshape", {x, net.concat(extents, 0)});
}

/// x W + b, on the rows as a matrix.
ValueId row_linear(Network& net, const ValueId& x, std::int64_t in, std::int64_t out,
                   double gain = after_nothing) {
  const ValueId weight = net.weight("Gemm.weight", {in, out}, gain, in);
  const ValueId product = net.op("Gemm", {net.reshape(x, {-1, in}), weight, net.bias(out)},
                                 {{"alpha", 1.0}, {"beta", 1.0}});
  return view(net, product, x, {out});
}

/// What a row may look at, [1, 1, rows, past + rows], cut from the table of all positions.
ValueId causal_mask(Network& net, Span span) {
  const ValueId table = net.constant(ElementType::Bool, {1, 1, most_positions, most_positions},
                                     causal_pattern({.rows = most_positions}));
  const auto slice = [&](const ValueId& x, std::int64_t begin, std::int64_t end,
                         std::int64_t axis) {
    return net.op("Slice", {x, net.integers({begin}), net.integers({end}), net.integers({axis})});
  };
  const std::int64_t end = span.past + span.rows;
  return slice(slice(table, span.past, end, 2), 0, end, 3);
}

/// Keys and values of all tokens so far; with a past, inputs and outputs of the network.
Cache extended(Network& net, const Cache& now, Span span, int layer) {
  if (span.past == 0) return now;
  const auto extend = [&](const ValueId& rows, const std::string& kind) {
    const std::string tail = "." + std::to_string(layer) + "." + kind;
    const ValueId before =
        net.input("past_key_values" + tail, {1, heads.count, span.past, heads.size});
    const std::string present = "present" + tail;
    net.output(net.concat({before, rows}, 2), present,
               {1, heads.count, span.past + span.rows, heads.size});
    return present;
  };
  return {.keys = extend(now.keys, "key"), .values = extend(now.values, "value")};
}

ValueId self_attention(Network& net, const ValueId& x, const ValueId& mask, Span span, int layer) {
  const std::vector<ValueId> parts =
      net.split(row_linear(net, x, width, 3 * width), 2, {width, width, width});
  const auto by_head = [&](const ValueId& part) {
    return net.transpose(view(net, part, part, {heads.count, heads.size}), {0, 2, 1, 3});
  };
  const ValueId q = by_head(parts[0]);
  const Cache cache =
      extended(net, {.keys = by_head(parts[1]), .values = by_head(parts[2])}, span, layer);
  const ValueId scores = net.op("Where", {mask, attention_scores(net, q, cache.keys, heads),
                                          net.real(std::numeric_limits<float>::lowest())});
  const ValueId mixed = net.transpose(attend(net, scores, cache.values), {0, 2, 1, 3});
  return row_linear(net, view(net, mixed, mixed, {width}), width, width);
}

ValueId block(Network& net, const ValueId& x, const ValueId& mask, Span span, int layer) {
  const ValueId normal = layer_norm(net, x, width, epsilon);
  const ValueId y = net.add(self_attention(net, normal, mask, span, layer), x);
  const ValueId wide = row_linear(net, layer_norm(net, y, width, epsilon), width, 4 * width);
  return net.add(y, row_linear(net, gelu_tanh(net, wide), 4 * width, width, branch_gain));
}

void write(Network& net, Span span) {
  net.begin("embeddings");
  const ValueId ids = net.input("input_ids", {1, span.rows}, ElementType::Int64);
  const ValueId words = net.weight("wte", {vocabulary, width}, {.deviation = 0.1});
  const ValueId places = net.weight("wpe", {most_positions, width}, {.deviation = 0.1});
  ValueId x = net.add(net.op("Gather", {words, ids}),
                      net.op("Gather", {places, net.integers(positions(span))}));
  const ValueId mask = causal_mask(net, span);
  for (int layer = 0; layer < layers; ++layer) {
    net.begin("h." + std::to_string(layer));
    x = block(net, x, mask, span, layer);
  }
  net.begin("head");
  x = layer_norm(net, x, width, epsilon);
  net.output(net.op("MatMul", {x, net.transpose(words, {1, 0})}), "logits",
             {1, span.rows, vocabulary});
}

}  // namespace

void gpt2(Network& net) { write(net, {.rows = 128, .past = 0}); }

void gpt2_decode(Network& net) { write(net, {.rows = 1, .past = 127}); }

}  // namespace tessera::networks
