#pragma once

#include "ops/op.h"

#include <span>

/// The families of operators, a list in a file of its own each.
namespace tessera::ops {

std::span<const Op> elementwise_nodes();
std::span<const Op> arithmetic_nodes();
std::span<const Op> logic_nodes();
std::span<const Op> activation_nodes();
std::span<const Op> softmax_nodes();
std::span<const Op> reduce_nodes();
std::span<const Op> order_nodes();
std::span<const Op> norm_nodes();
std::span<const Op> skip_norm_nodes();
std::span<const Op> matmul_nodes();
std::span<const Op> einsum_nodes();
std::span<const Op> conv_nodes();
std::span<const Op> deform_conv_nodes();
std::span<const Op> pool_nodes();
std::span<const Op> region_nodes();
std::span<const Op> quantize_nodes();
std::span<const Op> loss_nodes();
std::span<const Op> control_nodes();
std::span<const Op> gather_nodes();
std::span<const Op> ngram_nodes();
std::span<const Op> pad_nodes();
std::span<const Op> rearrange_nodes();
std::span<const Op> recurrent_nodes();
std::span<const Op> resize_nodes();
std::span<const Op> sample_nodes();
std::span<const Op> scatter_nodes();
std::span<const Op> selection_nodes();
std::span<const Op> shape_nodes();
std::span<const Op> signal_nodes();
std::span<const Op> transformer_nodes();
std::span<const Op> fused_attention_nodes();
std::span<const Op> cached_attention_nodes();
std::span<const Op> linear_attention_nodes();
std::span<const Op> block_quantized_nodes();
std::span<const Op> feature_nodes();

}  // namespace tessera::ops
