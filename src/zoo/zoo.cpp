#include "zoo/zoo.h"

#include "base/text.h"
#include "zoo/networks.h"

#include <algorithm>
#include <array>
#include <string>

namespace tessera {
namespace {

struct Row {
  std::string_view name;
  std::string_view family;
  std::string_view description;
  void (*write)(networks::Network&);
};

constexpr std::array rows = {
    Row{"resnet18", "resnet", "residual blocks of two 3x3 convolutions", networks::resnet18},
    Row{"resnet50", "resnet", "residual bottleneck blocks", networks::resnet50},
    Row{"resnext50", "resnet", "residual bottlenecks in 32 groups of 4 channels",
        networks::resnext50},
    Row{"regnet_x_400mf", "resnet", "residual blocks in groups of 16 channels",
        networks::regnet_x_400mf},
    Row{"mobilenet_v2", "mobilenet", "inverted residuals, depthwise", networks::mobilenet_v2},
    Row{"efficientnet_b0", "efficientnet", "inverted residuals with gated channels",
        networks::efficientnet_b0},
    Row{"vgg16", "vgg", "plain 3x3 convolutions, three large layers", networks::vgg16},
    Row{"inception_v1", "inception", "GoogLeNet: four branches per module", networks::inception_v1},
    Row{"squeezenet", "squeezenet", "fire modules, version 1.1", networks::squeezenet},
    Row{"densenet121", "densenet", "each layer reads all before it", networks::densenet121},
    Row{"bert_tiny", "bert", "encoder, 2 layers of width 128, 128 tokens", networks::bert_tiny},
    Row{"bert_mini", "bert", "encoder, 4 layers of width 256, 128 tokens", networks::bert_mini},
    Row{"bert_small", "bert", "encoder, 4 layers of width 512, 128 tokens", networks::bert_small},
    Row{"bert_base", "bert", "encoder, 12 layers of width 768, 128 tokens", networks::bert_base},
    Row{"gpt2", "gpt2", "decoder, 12 layers of width 768, 128 tokens", networks::gpt2},
    Row{"gpt2_decode", "gpt2", "the same, one token after 127", networks::gpt2_decode},
    Row{"vit_b16", "vit", "encoder on patches of 16x16 pixels", networks::vit_b16},
    Row{"llama_block", "llama", "one block of the 7B size, 128 tokens", networks::llama_block},
    Row{"llama_block_decode", "llama", "the same, one token after 127",
        networks::llama_block_decode},
};

networks::Network network_of(const Row& row) {
  networks::Network net{std::string(row.name)};
  row.write(net);
  return net;
}

}  // namespace

std::vector<ZooEntry> zoo() {
  std::vector<ZooEntry> entries;
  for (const Row& row : rows) {
    const networks::Network net = network_of(row);
    entries.push_back({.name = row.name,
                       .family = row.family,
                       .description = row.description,
                       .inputs = net.outline().inputs,
                       .parameter_count = net.parameter_count()});
  }
  return entries;
}

Result<Graph> zoo_graph(std::string_view name) {
  const auto* const row = std::ranges::find(rows, name, &Row::name);
  if (row != rows.end()) return network_of(*row).graph();
  std::vector<std::string> names;
  for (const Row& known : rows) names.emplace_back(known.name);
  return Error{"zoo:" + std::string(name) + ": no such network, expected one of " +
               join(names, ", ")};
}

}  // namespace tessera
