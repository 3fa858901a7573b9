#include "zoo/transformer.h"

#include <cmath>
#include <numeric>

namespace tessera::networks {

ValueId matmul(Network& net, const ValueId& x, std::int64_t in, std::int64_t out, double gain) {
  return net.op("MatMul", {x, net.weight("MatMul.weight", {in, out}, gain, in)});
}

ValueId linear(Network& net, const ValueId& x, std::int64_t in, std::int64_t out, double gain) {
  return net.add(net.bias(out), matmul(net, x, in, out, gain));
}

LayerNormWeights layer_norm_weights(Network& net, std::int64_t width) {
  return {.scale = net.weight("LayerNorm.weight", {width}, {1, 0.1}),
          .shift = net.weight("LayerNorm.bias", {width}, {.deviation = 0.1})};
}

ValueId layer_norm(Network& net, const ValueId& x, std::int64_t width, double epsilon) {
  const auto mean = [&](const ValueId& value) {
    return net.op("ReduceMean", {value}, {{"axes", std::vector<std::int64_t>{-1}}});
  };
  const LayerNormWeights weights = layer_norm_weights(net, width);
  const ValueId centred = net.op("Sub", {x, mean(x)});
  const ValueId variance = mean(net.op("Pow", {centred, net.real(2)}));
  const ValueId deviation = net.op("Sqrt", {net.add(variance, net.real(epsilon))});
  const ValueId normal = net.op("Div", {centred, deviation});
  return net.add(net.op("Mul", {normal, weights.scale}), weights.shift);
}

ValueId split_heads(Network& net, const ValueId& x, std::int64_t rows, Heads heads) {
  return net.transpose(net.reshape(x, {1, rows, heads.count, heads.size}), {0, 2, 1, 3});
}

ValueId merge_heads(Network& net, const ValueId& x, std::int64_t rows, Heads heads) {
  return net.reshape(net.transpose(x, {0, 2, 1, 3}), {1, rows, heads.width()});
}

ValueId attention_scores(Network& net, const ValueId& q, const ValueId& k, Heads heads) {
  const ValueId products = net.op("MatMul", {q, net.transpose(k, {0, 1, 3, 2})});
  return net.op("Div", {products, net.real(std::sqrt(static_cast<double>(heads.size)))});
}

ValueId attend(Network& net, const ValueId& scores, const ValueId& v) {
  return net.op("MatMul", {net.op("Softmax", {scores}, {{"axis", std::int64_t{-1}}}), v});
}

std::vector<std::int64_t> positions(Span span) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(span.rows));
  std::iota(places.begin(), places.end(), span.past);
  return places;
}

std::vector<double> causal_pattern(Span span) {
  std::vector<double> pattern;
  for (const std::int64_t position : positions(span))
    for (std::int64_t other = 0; other < span.past + span.rows; ++other)
      pattern.push_back(other <= position ? 1 : 0);
  return pattern;
}

}  // namespace tessera::networks
