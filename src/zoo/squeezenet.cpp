// Iandola et al. 2016, "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters"
// (arXiv:1602.07360), in the authors' version 1.1.
#include "zoo/networks.h"

#include <string>

namespace tessera::networks {
namespace {

constexpr std::int64_t ceil_mode = 1;

struct Fire {
  std::int64_t squeeze = 0;
  std::int64_t expand = 0;  // channels of each of the two expanding convolutions
  bool is_after_pool = false;
};

constexpr Fire fires[] = {{16, 64},        {16, 64},  {32, 128, true}, {32, 128},
                          {48, 192, true}, {48, 192}, {64, 256},       {64, 256}};

ValueId conv_relu(Network& net, const ValueId& x, std::int64_t in, std::int64_t out,
                  Window window) {
  return net.relu(net.conv(x, in, out, window, {.has_bias = true}));
}

ValueId fire_module(Network& net, const ValueId& x, std::int64_t in, const Fire& size) {
  const ValueId squeezed = conv_relu(net, x, in, size.squeeze, {});
  const ValueId one = conv_relu(net, squeezed, size.squeeze, size.expand, {});
  const ValueId three =
      conv_relu(net, squeezed, size.squeeze, size.expand, {.kernel = 3, .pad = 1});
  return net.concat({one, three}, 1);
}

}  // namespace

void squeezenet(Network& net) {
  net.begin("stem");
  ValueId x = net.input("input", {1, 3, 224, 224});
  x = conv_relu(net, x, 3, 64, {.kernel = 3, .stride = 2});
  x = net.max_pool(x, {.kernel = 3, .stride = 2}, ceil_mode);
  std::int64_t channels = 64;
  int count = 1;
  for (const Fire& size : fires) {
    net.begin("fire" + std::to_string(++count));
    if (size.is_after_pool) x = net.max_pool(x, {.kernel = 3, .stride = 2}, ceil_mode);
    x = fire_module(net, x, channels, size);
    channels = 2 * size.expand;
  }
  net.begin("head");
  x = conv_relu(net, x, channels, 1000, {});
  net.output(net.flatten(net.op("GlobalAveragePool", {x})), "output", {1, 1000});
}

}  // namespace tessera::networks
