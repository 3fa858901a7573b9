// Touvron et al. 2023, "LLaMA: Open and Efficient Foundation Language Models" (arXiv:2302.13971):
// one block of the size of 7 billion parameters.
#include "zoo/networks.h"
#include "zoo/transformer.h"

#include <cmath>
#include <limits>

namespace tessera::networks {
namespace {

constexpr Heads heads{.count = 32, .size = 128};
constexpr std::int64_t width = heads.width();
constexpr std::int64_t inner_width = 11008;
constexpr double branch_gain = 0.5;  // of residual branches, as deep networks have it

/// Cosines and sines of the angles by which rotary embeddings turn, [1, 1, rows, size].
struct Rotation {
  ValueId cosine;
  ValueId sine;
};

/// x / sqrt(mean(x^2) + epsilon) * scale (Zhang and Sennrich 2019, arXiv:1910.07467).
ValueId rms_norm(Network& net, const ValueId& x) {
  const ValueId scale = net.weight("RmsNorm.weight", {width}, {1, 0.1});
  const ValueId square = net.op("ReduceMean", {net.op("Pow", {x, net.real(2)})},
                                {{"axes", std::vector<std::int64_t>{-1}}});
  const ValueId root = net.op("Sqrt", {net.add(square, net.real(1e-6))});
  const ValueId factor = net.op("Div", {net.real(1), root});
  return net.op("Mul", {scale, net.op("Mul", {x, factor})});
}

/// Angle of position p in the pair of elements (i, i + size/2): p / 10000^(2i/size).
Rotation rotation(Network& net, Span span) {
  const std::int64_t half = heads.size / 2;
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < half; ++i)
    frequencies.push_back(std::pow(1e4, -static_cast<double>(i) / static_cast<double>(half)));
  const ValueId places = net.op("Cast", {net.integers(positions(span))},
                                {{"to", static_cast<std::int64_t>(ElementType::Float)}});
  const ValueId row = net.op("Unsqueeze", {places, net.integers({0, 1})});
  const ValueId column = net.constant(ElementType::Float, {1, half, 1}, frequencies);
  const ValueId angles = net.transpose(net.op("MatMul", {column, row}), {0, 2, 1});
  const ValueId twice = net.concat({angles, angles}, -1);
  const auto of_heads = [&](std::string_view function) {
    return net.op("Unsqueeze", {net.op(function, {twice}), net.integers({1})});
  };
  return {.cosine = of_heads("Cos"), .sine = of_heads("Sin")};
}

/// x cos + (-x2, x1) sin, with x1 and x2 the halves of x (Su et al. 2021, arXiv:2104.09864).
ValueId rotated(Network& net, const ValueId& x, const Rotation& by) {
  const std::int64_t half = heads.size / 2;
  const auto slice = [&](std::int64_t begin, std::int64_t end) {
    return net.op("Slice", {x, net.integers({begin}), net.integers({end}), net.integers({3})});
  };
  const ValueId first = slice(0, half);
  const ValueId second = slice(half, heads.size);
  const ValueId turned = net.concat({net.op("Neg", {second}), first}, -1);
  return net.add(net.op("Mul", {x, by.cosine}), net.op("Mul", {turned, by.sine}));
}

/// 0 where a row may look, the lowest number where not.
ValueId causal_mask(Network& net, Span span) {
  std::vector<double> mask = causal_pattern(span);
  for (double& element : mask) element = element == 0 ? std::numeric_limits<float>::lowest() : 0;
  return net.constant(ElementType::Float, {1, 1, span.rows, span.past + span.rows}, mask);
}

ValueId self_attention(Network& net, const ValueId& x, Span span) {
  const auto projected = [&] {
    return split_heads(net, matmul(net, x, width, width), span.rows, heads);
  };
  const auto with_past = [&](const ValueId& now, const std::string& kind) {
    const std::string name = "present_" + kind;
    const Shape shape = {1, heads.count, span.past + span.rows, heads.size};
    if (span.past == 0) {
      net.output(now, name, shape);
    } else {
      const ValueId past = net.input("past_" + kind, {1, heads.count, span.past, heads.size});
      net.output(net.concat({past, now}, 2), name, shape);
    }
    return name;
  };
  const Rotation by = rotation(net, span);
  const ValueId q = rotated(net, projected(), by);
  const ValueId k = with_past(rotated(net, projected(), by), "key");
  const ValueId v = with_past(projected(), "value");
  const ValueId scores = net.add(attention_scores(net, q, k, heads), causal_mask(net, span));
  const ValueId mixed = merge_heads(net, attend(net, scores, v), span.rows, heads);
  return matmul(net, mixed, width, width);
}

/// (silu(x A) * x B) C (Shazeer 2020, arXiv:2002.05202).
ValueId swiglu(Network& net, const ValueId& x) {
  const ValueId gate = matmul(net, x, width, inner_width);
  const ValueId silu = net.op("Mul", {gate, net.op("Sigmoid", {gate})});
  const ValueId inner = net.op("Mul", {silu, matmul(net, x, width, inner_width)});
  return matmul(net, inner, inner_width, width, branch_gain);
}

void write(Network& net, Span span) {
  const ValueId x = net.input("hidden_states", {1, span.rows, width});
  net.begin("attention");
  const ValueId y = net.add(x, self_attention(net, rms_norm(net, x), span));
  net.begin("mlp");
  net.output(net.add(y, swiglu(net, rms_norm(net, y))), "output", {1, span.rows, width});
}

}  // namespace

void llama_block(Network& net) { write(net, {.rows = 128, .past = 0}); }

void llama_block_decode(Network& net) { write(net, {.rows = 1, .past = 127}); }

}  // namespace tessera::networks
