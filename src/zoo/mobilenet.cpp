// Sandler et al. 2018, "MobileNetV2: Inverted Residuals and Linear Bottlenecks" (arXiv:1801.04381).
#include "zoo/networks.h"

#include <string>

namespace tessera::networks {
namespace {

/// A row of the paper's table 2.
struct Stage {
  std::int64_t expansion = 1;
  std::int64_t channels = 0;
  int blocks = 1;
  std::int64_t stride = 1;  // of the first block
};

constexpr Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                            {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

ValueId relu6(Network& net, const ValueId& x) {
  return net.op("Clip", {x, net.real(0), net.real(6)});
}

ValueId conv_bn_relu6(Network& net, const ValueId& x, std::int64_t in, std::int64_t out,
                      Window window, ConvOptions options) {
  return relu6(net, net.batch_norm(net.conv(x, in, out, window, options), out));
}

/// 1x1 to more channels, 3x3 in each channel, 1x1 to `out` channels without activation.
ValueId inverted_residual(Network& net, const ValueId& x, std::int64_t in, std::int64_t out,
                          std::int64_t expansion, std::int64_t stride) {
  const std::int64_t wide = in * expansion;
  ValueId y = x;
  if (expansion != 1) y = conv_bn_relu6(net, y, in, wide, {}, {.gain = after_nothing});
  y = conv_bn_relu6(net, y, wide, wide, {.kernel = 3, .stride = stride, .pad = 1},
                    {.groups = wide});
  const bool is_residual = stride == 1 && in == out;
  y = net.batch_norm(net.conv(y, wide, out, {}), out, is_residual ? 0.5 : 1);
  return is_residual ? net.add(x, y) : y;
}

}  // namespace

void mobilenet_v2(Network& net) {
  net.begin("stem");
  ValueId x = net.input("input", {1, 3, 224, 224});
  x = conv_bn_relu6(net, x, 3, 32, {.kernel = 3, .stride = 2, .pad = 1}, {});
  std::int64_t channels = 32;
  int count = 0;
  for (const Stage& stage : stages)
    for (int block = 0; block < stage.blocks; ++block) {
      net.begin("features." + std::to_string(++count));
      x = inverted_residual(net, x, channels, stage.channels, stage.expansion,
                            block == 0 ? stage.stride : 1);
      channels = stage.channels;
    }
  net.begin("head");
  x = conv_bn_relu6(net, x, channels, 1280, {}, {.gain = after_nothing});
  net.output(net.classifier(x, 1280), "output", {1, 1000});
}

}  // namespace tessera::networks
