// Simonyan and Zisserman 2015, "Very Deep Convolutional Networks for Large-Scale Image Recognition"
// (arXiv:1409.1556), configuration D.
#include "zoo/networks.h"

#include <string>

namespace tessera::networks {
namespace {

struct Stage {
  std::int64_t channels = 0;
  int convolutions = 0;
};

constexpr Stage stages[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};

}  // namespace

void vgg16(Network& net) {
  ValueId x = net.input("input", {1, 3, 224, 224});
  std::int64_t channels = 3;
  int count = 0;
  for (const Stage& stage : stages) {
    net.begin("stage" + std::to_string(++count));
    for (int n = 0; n < stage.convolutions; ++n) {
      x = net.relu(
          net.conv(x, channels, stage.channels, {.kernel = 3, .pad = 1}, {.has_bias = true}));
      channels = stage.channels;
    }
    x = net.max_pool(x, {.kernel = 2, .stride = 2});
  }
  net.begin("classifier");
  x = net.relu(net.gemm(net.flatten(x), 512 * 7 * 7, 4096));
  x = net.relu(net.gemm(x, 4096, 4096, after_relu));
  net.output(net.gemm(x, 4096, 1000, after_relu), "output", {1, 1000});
}

}  // namespace tessera::networks
