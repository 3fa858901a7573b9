// Tan and Le 2019, "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks"
// (arXiv:1905.11946), the baseline of table 1.
#include "zoo/networks.h"

#include <string>

namespace tessera::networks {
namespace {

constexpr double after_silu = 1.5;  // between small signals, which SiLU halves, and large ones
constexpr double after_gate = 2 * after_silu;  // gates are near one half

/// A row of table 1; `blocks` have squeeze and excitation.
struct Stage {
  std::int64_t expansion = 1;
  std::int64_t kernel = 3;
  std::int64_t stride = 1;  // of the first block
  std::int64_t channels = 0;
  int blocks = 1;
};

constexpr Stage stages[] = {{1, 3, 1, 16, 1}, {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2},
                            {6, 3, 2, 80, 3}, {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4},
                            {6, 3, 1, 320, 1}};

ValueId silu(Network& net, const ValueId& x) { return net.op("Mul", {x, net.op("Sigmoid", {x})}); }

ValueId conv_bn_silu(Network& net, const ValueId& x, std::int64_t in, std::int64_t out,
                     Window window, ConvOptions options) {
  return silu(net, net.batch_norm(net.conv(x, in, out, window, options), out));
}

/// Scales each channel by a gate that all channels decide (Hu et al. 2018, arXiv:1709.01507).
ValueId squeeze_excite(Network& net, const ValueId& x, std::int64_t channels,
                       std::int64_t squeezed) {
  ValueId gate = net.op("GlobalAveragePool", {x});
  gate = silu(net, net.conv(gate, channels, squeezed, {}, {.has_bias = true, .gain = after_silu}));
  gate = net.conv(gate, squeezed, channels, {}, {.has_bias = true, .gain = after_silu});
  return net.op("Mul", {net.op("Sigmoid", {gate}), x});
}

ValueId mb_conv(Network& net, const ValueId& x, std::int64_t in, const Stage& stage,
                std::int64_t stride) {
  const std::int64_t wide = in * stage.expansion;
  ValueId y = x;
  if (stage.expansion != 1) y = conv_bn_silu(net, y, in, wide, {}, {.gain = after_nothing});
  y = conv_bn_silu(net, y, wide, wide,
                   {.kernel = stage.kernel, .stride = stride, .pad = stage.kernel / 2},
                   {.groups = wide, .gain = after_silu});
  y = squeeze_excite(net, y, wide, in / 4);
  const bool is_residual = stride == 1 && in == stage.channels;
  y = net.conv(y, wide, stage.channels, {}, {.gain = after_gate});
  y = net.batch_norm(y, stage.channels, is_residual ? 0.5 : 1);
  return is_residual ? net.add(y, x) : y;
}

}  // namespace

void efficientnet_b0(Network& net) {
  net.begin("stem");
  ValueId x = net.input("input", {1, 3, 224, 224});
  x = conv_bn_silu(net, x, 3, 32, {.kernel = 3, .stride = 2, .pad = 1}, {.gain = after_nothing});
  std::int64_t channels = 32;
  int count = 0;
  for (const Stage& stage : stages)
    for (int block = 0; block < stage.blocks; ++block) {
      net.begin("features." + std::to_string(++count));
      x = mb_conv(net, x, channels, stage, block == 0 ? stage.stride : 1);
      channels = stage.channels;
    }
  net.begin("head");
  x = conv_bn_silu(net, x, channels, 1280, {}, {.gain = after_nothing});
  net.output(net.classifier(x, 1280), "output", {1, 1000});
}

}  // namespace tessera::networks
