#pragma once

#include "zoo/network.h"

/// Layers that transformers share, in the simple operators of which exporters compose them. Rows of
/// features are values of shape [1, rows, width].
namespace tessera::networks {

struct Heads {
  std::int64_t count = 0;
  std::int64_t size = 0;
  constexpr std::int64_t width() const { return count * size; }
};

/// Tokens that come in, and tokens that came before.
struct Span {
  std::int64_t rows = 0;
  std::int64_t past = 0;
};

/// x W.
ValueId matmul(Network& net, const ValueId& x, std::int64_t in, std::int64_t out,
               double gain = after_nothing);
/// x W + b.
ValueId linear(Network& net, const ValueId& x, std::int64_t in, std::int64_t out,
               double gain = after_nothing);

struct LayerNormWeights {
  ValueId scale;
  ValueId shift;
};
LayerNormWeights layer_norm_weights(Network& net, std::int64_t width);

/// (x - mean) / sqrt(variance + epsilon) * scale + shift, over the last axis.
ValueId layer_norm(Network& net, const ValueId& x, std::int64_t width, double epsilon);

/// [1, rows, width] as [1, heads, rows, size], and back.
ValueId split_heads(Network& net, const ValueId& x, std::int64_t rows, Heads heads);
ValueId merge_heads(Network& net, const ValueId& x, std::int64_t rows, Heads heads);

/// q k^T / sqrt(size).
ValueId attention_scores(Network& net, const ValueId& q, const ValueId& k, Heads heads);
/// softmax(scores) v.
ValueId attend(Network& net, const ValueId& scores, const ValueId& v);

/// Of each row: past, past + 1, ...
std::vector<std::int64_t> positions(Span span);
/// [rows, past + rows]: 1 where a row may look, at itself and what came before it, 0 elsewhere.
std::vector<double> causal_pattern(Span span);

}  // namespace tessera::networks
