// He et al. 2016, "Deep Residual Learning for Image Recognition" (arXiv:1512.03385), with the
// stride in the 3x3 convolution; Xie et al. 2017, "Aggregated Residual Transformations for Deep
// Neural Networks" (arXiv:1611.05431); Radosavovic et al. 2020, "Designing Network Design Spaces"
// (arXiv:2003.13678).
#include "zoo/networks.h"

#include <array>
#include <string>

namespace tessera::networks {
namespace {

constexpr double branch_scale = 0.25;  // of residual branches, so that sums of many stay sane

struct BlockSize {
  std::int64_t in = 0;
  std::int64_t middle = 0;
  std::int64_t out = 0;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
};

ValueId shortcut(Network& net, const ValueId& x, const BlockSize& size) {
  if (size.in == size.out && size.stride == 1) return x;
  const ValueId projected = net.conv(x, size.in, size.out, {.stride = size.stride});
  return net.batch_norm(projected, size.out);
}

ValueId joined(Network& net, const ValueId& branch, const ValueId& x, const BlockSize& size) {
  return net.relu(net.add(net.batch_norm(branch, size.out, branch_scale), shortcut(net, x, size)));
}

/// 3x3, 3x3.
ValueId basic_block(Network& net, const ValueId& x, const BlockSize& size) {
  ValueId y = net.conv(x, size.in, size.out, {.kernel = 3, .stride = size.stride, .pad = 1});
  y = net.relu(net.batch_norm(y, size.out));
  y = net.conv(y, size.out, size.out, {.kernel = 3, .pad = 1});
  return joined(net, y, x, size);
}

/// 1x1, 3x3 in groups, 1x1.
ValueId bottleneck(Network& net, const ValueId& x, const BlockSize& size) {
  ValueId y = net.conv(x, size.in, size.middle, {});
  y = net.relu(net.batch_norm(y, size.middle));
  y = net.conv(y, size.middle, size.middle, {.kernel = 3, .stride = size.stride, .pad = 1},
               {.groups = size.groups});
  y = net.relu(net.batch_norm(y, size.middle));
  y = net.conv(y, size.middle, size.out, {});
  return joined(net, y, x, size);
}

struct Recipe {
  ValueId (*block)(Network&, const ValueId&, const BlockSize&);
  std::array<int, 4> depths;
  std::int64_t middle = 64;  // channels inside the blocks of the first stage
  std::int64_t out = 64;     // channels that they give
  std::int64_t groups = 1;
};

void write(Network& net, const Recipe& recipe) {
  net.begin("stem");
  ValueId x = net.input("input", {1, 3, 224, 224});
  x = net.relu(net.batch_norm(net.conv(x, 3, 64, {.kernel = 7, .stride = 2, .pad = 3}), 64));
  x = net.max_pool(x, {.kernel = 3, .stride = 2, .pad = 1});
  std::int64_t channels = 64;
  for (std::size_t stage = 0; stage < recipe.depths.size(); ++stage)
    for (int block = 0; block < recipe.depths[stage]; ++block) {
      net.begin("layer" + std::to_string(stage + 1) + "." + std::to_string(block));
      const BlockSize size{.in = channels,
                           .middle = recipe.middle << stage,
                           .out = recipe.out << stage,
                           .stride = stage > 0 && block == 0 ? 2 : 1,
                           .groups = recipe.groups};
      x = recipe.block(net, x, size);
      channels = size.out;
    }
  net.begin("head");
  net.output(net.classifier(x, channels), "output", {1, 1000});
}

}  // namespace

void resnet18(Network& net) { write(net, {.block = basic_block, .depths = {2, 2, 2, 2}}); }

void resnet50(Network& net) {
  write(net, {.block = bottleneck, .depths = {3, 4, 6, 3}, .middle = 64, .out = 256});
}

void resnext50(Network& net) {
  write(net,
        {.block = bottleneck, .depths = {3, 4, 6, 3}, .middle = 128, .out = 256, .groups = 32});
}

void regnet_x_400mf(Network& net) {
  constexpr std::array<std::int64_t, 4> widths = {32, 64, 160, 400}, depths = {1, 2, 7, 12};
  constexpr std::int64_t group_width = 16;
  net.begin("stem");
  std::int64_t channels = 32;
  ValueId x = net.input("input", {1, 3, 224, 224});
  x = net.conv(x, 3, channels, {.kernel = 3, .stride = 2, .pad = 1});
  x = net.relu(net.batch_norm(x, channels));
  for (std::size_t stage = 0; stage < widths.size(); ++stage)
    for (std::int64_t block = 0; block < depths[stage]; ++block) {
      net.begin("layer" + std::to_string(stage + 1) + "." + std::to_string(block));
      x = bottleneck(net, x,
                     {.in = channels,
                      .middle = widths[stage],
                      .out = widths[stage],
                      .stride = block == 0 ? 2 : 1,
                      .groups = widths[stage] / group_width});
      channels = widths[stage];
    }
  net.begin("head");
  net.output(net.classifier(x, channels), "output", {1, 1000});
}

}  // namespace tessera::networks
