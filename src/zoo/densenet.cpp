// Huang et al. 2017, "Densely Connected Convolutional Networks" (arXiv:1608.06993).
#include "zoo/networks.h"

#include <string>

namespace tessera::networks {
namespace {

constexpr std::int64_t growth = 32;
constexpr std::int64_t bottleneck = 4 * growth;
constexpr int depths[] = {6, 12, 24, 16};

ValueId bn_relu(Network& net, const ValueId& x, std::int64_t channels) {
  return net.relu(net.batch_norm(x, channels));
}

/// 1x1, 3x3: what a layer adds to the channels before it.
ValueId new_features(Network& net, const ValueId& x, std::int64_t in) {
  const ValueId y = net.conv(bn_relu(net, x, in), in, bottleneck, {});
  return net.conv(bn_relu(net, y, bottleneck), bottleneck, growth, {.kernel = 3, .pad = 1});
}

/// Half the channels of a quarter of the pixels.
ValueId transition(Network& net, const ValueId& x, std::int64_t channels) {
  const ValueId y = net.conv(bn_relu(net, x, channels), channels, channels / 2, {});
  return net.average_pool(y, {.kernel = 2, .stride = 2});
}

}  // namespace

void densenet121(Network& net) {
  net.begin("stem");
  ValueId x = net.input("input", {1, 3, 224, 224});
  x = bn_relu(net, net.conv(x, 3, 64, {.kernel = 7, .stride = 2, .pad = 3}), 64);
  x = net.max_pool(x, {.kernel = 3, .stride = 2, .pad = 1});
  std::int64_t channels = 64;
  int block = 0;
  for (const int depth : depths) {
    if (block > 0) {
      net.begin("transition" + std::to_string(block));
      x = transition(net, x, channels);
      channels /= 2;
    }
    ++block;
    // Each layer reads all before it, concatenated anew.
    std::vector<ValueId> features = {x};
    for (int layer = 1; layer <= depth; ++layer) {
      net.begin("block" + std::to_string(block) + "." + std::to_string(layer));
      features.push_back(new_features(net, x, channels));
      channels += growth;
      x = net.concat(features, 1);
    }
  }
  net.begin("head");
  net.output(net.classifier(bn_relu(net, x, channels), channels), "output", {1, 1000});
}

}  // namespace tessera::networks
