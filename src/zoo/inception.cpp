// Szegedy et al. 2015, "Going Deeper with Convolutions" (arXiv:1409.4842): GoogLeNet as published,
// with local response normalisation and without the auxiliary classifiers.
#include "zoo/networks.h"

#include <string_view>

namespace tessera::networks {
namespace {

constexpr std::int64_t ceil_mode = 1;

/// A row of the paper's table 1: channels of the four branches.
struct Inception {
  std::string_view name;
  std::int64_t conv1 = 0;
  std::int64_t reduce3 = 0;
  std::int64_t conv3 = 0;
  std::int64_t reduce5 = 0;
  std::int64_t conv5 = 0;
  std::int64_t pool = 0;
  bool is_last_of_stage = false;

  std::int64_t channels() const { return conv1 + conv3 + conv5 + pool; }
};

constexpr Inception modules[] = {
    {"3a", 64, 96, 128, 16, 32, 32},           {"3b", 128, 128, 192, 32, 96, 64, true},
    {"4a", 192, 96, 208, 16, 48, 64},          {"4b", 160, 112, 224, 24, 64, 64},
    {"4c", 128, 128, 256, 24, 64, 64},         {"4d", 112, 144, 288, 32, 64, 64},
    {"4e", 256, 160, 320, 32, 128, 128, true}, {"5a", 256, 160, 320, 32, 128, 128},
    {"5b", 384, 192, 384, 48, 128, 128},
};

ValueId conv_relu(Network& net, const ValueId& x, std::int64_t in, std::int64_t out,
                  Window window) {
  return net.relu(net.conv(x, in, out, window, {.has_bias = true}));
}

ValueId local_response(Network& net, const ValueId& x) {
  return net.op("LRN", {x},
                {{"size", std::int64_t{5}}, {"alpha", 1e-4}, {"beta", 0.75}, {"bias", 1.0}});
}

ValueId inception(Network& net, const ValueId& x, std::int64_t in, const Inception& size) {
  const ValueId one = conv_relu(net, x, in, size.conv1, {});
  ValueId three = conv_relu(net, x, in, size.reduce3, {});
  three = conv_relu(net, three, size.reduce3, size.conv3, {.kernel = 3, .pad = 1});
  ValueId five = conv_relu(net, x, in, size.reduce5, {});
  five = conv_relu(net, five, size.reduce5, size.conv5, {.kernel = 5, .pad = 2});
  const ValueId pooled = net.max_pool(x, {.kernel = 3, .stride = 1, .pad = 1});
  return net.concat({one, three, five, conv_relu(net, pooled, in, size.pool, {})}, 1);
}

}  // namespace

void inception_v1(Network& net) {
  net.begin("stem");
  ValueId x = net.input("input", {1, 3, 224, 224});
  x = conv_relu(net, x, 3, 64, {.kernel = 7, .stride = 2, .pad = 3});
  x = local_response(net, net.max_pool(x, {.kernel = 3, .stride = 2}, ceil_mode));
  x = conv_relu(net, x, 64, 64, {});
  x = conv_relu(net, x, 64, 192, {.kernel = 3, .pad = 1});
  x = net.max_pool(local_response(net, x), {.kernel = 3, .stride = 2}, ceil_mode);
  std::int64_t channels = 192;
  for (const Inception& size : modules) {
    net.begin("inception_" + std::string(size.name));
    x = inception(net, x, channels, size);
    channels = size.channels();
    if (size.is_last_of_stage) x = net.max_pool(x, {.kernel = 3, .stride = 2}, ceil_mode);
  }
  net.begin("head");
  x = net.average_pool(x, {.kernel = 7});
  net.output(net.gemm(net.flatten(x), channels, 1000, after_relu), "output", {1, 1000});
}

}  // namespace tessera::networks
