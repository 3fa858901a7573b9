#pragma once

#include "zoo/network.h"

/// The networks, family by family. Each writes itself into an empty Network, for batch 1.
namespace tessera::networks {

void resnet18(Network& net);
void resnet50(Network& net);
void resnext50(Network& net);
void regnet_x_400mf(Network& net);

void mobilenet_v2(Network& net);
void efficientnet_b0(Network& net);

void vgg16(Network& net);
void inception_v1(Network& net);
void squeezenet(Network& net);
void densenet121(Network& net);

void bert_tiny(Network& net);
void bert_mini(Network& net);
void bert_small(Network& net);
void bert_base(Network& net);
void gpt2(Network& net);
void gpt2_decode(Network& net);
void vit_b16(Network& net);
void llama_block(Network& net);
void llama_block_decode(Network& net);

}  // namespace tessera::networks
