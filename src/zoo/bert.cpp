// Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers for Language
// Understanding" (arXiv:1810.04805); the tiny size is of Turc et al. 2019 (arXiv:1908.08962).
#include "zoo/networks.h"
#include "zoo/transformer.h"

#include <limits>
#include <numbers>
#include <string>

namespace tessera::networks {
namespace {

constexpr std::int64_t rows = 128;
constexpr std::int64_t vocabulary = 30522;
constexpr std::int64_t most_positions = 512;
constexpr double epsilon = 1e-12;

struct Size {
  int layers = 0;
  Heads heads;
};

/// x/2 (1 + erf(x / sqrt 2)).
ValueId gelu(Network& net, const ValueId& x) {
  const ValueId erf = net.op("Erf", {net.op("Div", {x, net.real(std::numbers::sqrt2)})});
  const ValueId product = net.op("Mul", {x, net.add(erf, net.real(1))});
  return net.op("Mul", {product, net.real(0.5)});
}

/// 0 where attention goes, the lowest number where not: [1, 1, 1, rows].
ValueId additive_mask(Network& net, const ValueId& mask) {
  ValueId wide = net.op("Unsqueeze", {mask, net.integers({1})});
  wide = net.op("Unsqueeze", {wide, net.integers({2})});
  wide = net.op("Cast", {wide}, {{"to", static_cast<std::int64_t>(ElementType::Float)}});
  const ValueId hidden = net.op("Sub", {net.real(1), wide});
  return net.op("Mul", {hidden, net.real(std::numeric_limits<float>::lowest())});
}

ValueId embeddings(Network& net, std::int64_t width) {
  const auto table = [&](std::int64_t entries) {
    return net.weight("embedding", {entries, width}, {.deviation = 0.5});
  };
  const ValueId ids = net.input("input_ids", {1, rows}, ElementType::Int64);
  const ValueId kinds = net.input("token_type_ids", {1, rows}, ElementType::Int64);
  const ValueId words = net.op("Gather", {table(vocabulary), ids});
  const ValueId sum = net.add(words, net.op("Gather", {table(2), kinds}));
  const ValueId place =
      net.op("Gather", {table(most_positions), net.integers(positions({.rows = rows}))});
  return layer_norm(net, net.add(sum, place), width, epsilon);
}

ValueId self_attention(Network& net, const ValueId& x, const ValueId& mask, Heads heads) {
  const std::int64_t width = heads.width();
  const auto projected = [&] {
    return split_heads(net, linear(net, x, width, width), rows, heads);
  };
  const ValueId q = projected();
  const ValueId k = projected();
  const ValueId v = projected();
  const ValueId scores = net.add(attention_scores(net, q, k, heads), mask);
  const ValueId mixed = merge_heads(net, attend(net, scores, v), rows, heads);
  return linear(net, mixed, width, width);
}

ValueId encoder_layer(Network& net, const ValueId& x, const ValueId& mask, Heads heads) {
  const std::int64_t width = heads.width();
  const ValueId attended = self_attention(net, x, mask, heads);
  const ValueId y = layer_norm(net, net.add(attended, x), width, epsilon);
  const ValueId wide = gelu(net, linear(net, y, width, 4 * width));
  const ValueId narrow = linear(net, wide, 4 * width, width);
  return layer_norm(net, net.add(narrow, y), width, epsilon);
}

void write(Network& net, const Size& size) {
  const std::int64_t width = size.heads.width();
  net.begin("embeddings");
  ValueId x = embeddings(net, width);
  const ValueId mask =
      additive_mask(net, net.input("attention_mask", {1, rows}, ElementType::Int64));
  for (int layer = 0; layer < size.layers; ++layer) {
    net.begin("layer." + std::to_string(layer));
    x = encoder_layer(net, x, mask, size.heads);
  }
  net.output(x, "last_hidden_state", {1, rows, width});
  net.begin("pooler");
  const ValueId first =
      net.op("Gather", {"last_hidden_state", net.integer(0)}, {{"axis", std::int64_t{1}}});
  net.output(net.op("Tanh", {net.gemm(first, width, width)}), "pooler_output", {1, width});
}

}  // namespace

void bert_tiny(Network& net) { write(net, {.layers = 2, .heads = {.count = 2, .size = 64}}); }

void bert_mini(Network& net) { write(net, {.layers = 4, .heads = {.count = 4, .size = 64}}); }

void bert_small(Network& net) { write(net, {.layers = 4, .heads = {.count = 8, .size = 64}}); }

void bert_base(Network& net) { write(net, {.layers = 12, .heads = {.count = 12, .size = 64}}); }

}  // namespace tessera::networks
