// Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words: Transformers for Image Recognition at
// Scale" (arXiv:2010.11929), base size, images of 224x224.
#include "zoo/networks.h"
#include "zoo/transformer.h"

#include <string>

namespace tessera::networks {
namespace {

constexpr Heads heads{.count = 12, .size = 64};
constexpr std::int64_t width = heads.width();
constexpr int layers = 12;
constexpr std::int64_t patch = 16;
constexpr std::int64_t patches = (224 / patch) * (224 / patch);
constexpr std::int64_t rows = patches + 1;
constexpr double branch_gain = 0.5;  // of residual branches, so that sums of many stay sane

ValueId norm(Network& net, const ValueId& x) {
  const LayerNormWeights weights = layer_norm_weights(net, width);
  return net.op("LayerNormalization", {x, weights.scale, weights.shift},
                {{"axis", std::int64_t{-1}}, {"epsilon", 1e-6}});
}

/// Patches as rows, after a learned first one.
ValueId tokens(Network& net, const ValueId& image) {
  const ValueId grid = net.conv(image, 3, width, {.kernel = patch, .stride = patch},
                                {.has_bias = true, .gain = after_nothing});
  const ValueId rows_of_patches = net.transpose(net.reshape(grid, {1, width, patches}), {0, 2, 1});
  const ValueId first = net.weight("class_token", {1, 1, width}, {.deviation = 0.5});
  const ValueId places = net.weight("position_embedding", {1, rows, width}, {.deviation = 0.5});
  return net.add(net.concat({first, rows_of_patches}, 1), places);
}

ValueId self_attention(Network& net, const ValueId& x) {
  const ValueId packed = net.transpose(
      net.reshape(linear(net, x, width, 3 * width), {1, rows, 3, heads.count, heads.size}),
      {2, 0, 3, 1, 4});
  const auto part = [&](std::int64_t n) {
    return net.op("Gather", {packed, net.integer(n)}, {{"axis", std::int64_t{0}}});
  };
  const ValueId q = part(0);
  const ValueId k = part(1);
  const ValueId v = part(2);
  const ValueId mixed = attend(net, attention_scores(net, q, k, heads), v);
  return linear(net, merge_heads(net, mixed, rows, heads), width, width);
}

ValueId block(Network& net, const ValueId& x) {
  const ValueId y = net.add(x, self_attention(net, norm(net, x)));
  const ValueId wide = net.op("Gelu", {linear(net, norm(net, y), width, 4 * width)});
  return net.add(y, linear(net, wide, 4 * width, width, branch_gain));
}

}  // namespace

void vit_b16(Network& net) {
  net.use_opset(20);  // the first with Gelu
  net.begin("patches");
  ValueId x = tokens(net, net.input("input", {1, 3, 224, 224}));
  for (int layer = 0; layer < layers; ++layer) {
    net.begin("layer." + std::to_string(layer));
    x = block(net, x);
  }
  net.begin("head");
  const ValueId first =
      net.op("Gather", {norm(net, x), net.integer(0)}, {{"axis", std::int64_t{1}}});
  net.output(net.gemm(first, width, 1000), "output", {1, 1000});
}

}  // namespace tessera::networks
