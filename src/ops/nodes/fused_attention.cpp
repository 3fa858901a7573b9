#include "base/text.h"
#include "ops/nodes/attention.h"
#include "ops/nodes/nodes.h"

#include <cmath>
#include <numeric>

/// Attention as onnxruntime's optimiser writes it.
namespace tessera::ops {
namespace {

using Order = std::vector<std::int64_t>;

/// 0, 1, 2, ..
std::vector<double> counting(std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

/// A bias from a mask of keys: their number in each batch, [batch]; their ends, then their starts,
/// [2 * batch]; or which there are, [batch, keys] or [batch, queries, keys].
Result<ValueId> bias_of_keys(Expansion& e, std::size_t n, const HeadAttention& a) {
  const Shape& shape = e.shape(n);
  const std::int64_t batch = a.q.batch(), keys = a.k.time();
  const ElementType element = e.type(n).element;
  const auto columns = [&] { return e.constant(element, {keys}, counting(keys)); };
  const auto batches = [&](const ValueId& value) {
    return e.add("Reshape", {value, e.integers({batch, 1, 1, 1})});
  };
  ValueId is_key;
  if (shape == Shape{batch}) {
    is_key = e.add("Less", {columns(), batches(e.input(n))});
  } else if (shape == Shape{2 * batch}) {
    const ValueId ends = batches(cut(e, e.input(n), 0, 0, batch));
    const ValueId starts = batches(cut(e, e.input(n), 0, batch, 2 * batch));
    is_key =
        e.add("And", {e.add("Less", {columns(), ends}), e.add("LessOrEqual", {starts, columns()})});
  } else if (shape == Shape{batch, keys} || shape == Shape{batch, a.q.time(), keys}) {
    const std::int64_t rows = shape.size() == 2 ? 1 : a.q.time();
    const ValueId mask = e.add("Reshape", {e.input(n), e.integers({batch, 1, rows, keys})});
    is_key = e.add("Cast", {mask}, {{"to", static_cast<std::int64_t>(ElementType::Bool)}});
  } else {
    return Error{"a mask of shape " + to_text(shape) + " for " + std::to_string(batch) +
                 " batches of " + std::to_string(keys) + " keys"};
  }
  const double filter = e.view().real("mask_filter_value", -10000);
  return e.add("Where", {is_key, e.real(0), e.real(filter)});
}

/// What both operators do once there are heads; `mask` and `bias` are inputs.
Result<Attended> attend_masked(Expansion& e, HeadAttention& a, std::size_t mask, std::size_t bias) {
  if (const auto sound = verify_heads(a); !sound) return sound.error();
  a.scale = e.view().real("scale", 0);
  if (a.scale == 0) a.scale = 1 / std::sqrt(static_cast<double>(a.q.size()));
  if (e.has_elements(mask)) {
    const auto keys = bias_of_keys(e, mask, a);
    if (!keys) return keys.error();
    a.biases.push_back(*keys);
  }
  if (e.has_elements(bias)) a.biases.push_back(e.input(bias));
  if (e.integer("unidirectional", 0) != 0) {
    const std::int64_t past = a.k.time() - a.q.time();
    a.biases.push_back(
        bias_where(e, a.q.time(), a.k.time(),
                   [&](std::int64_t row, std::int64_t column) { return column <= row + past; }));
  }
  return attend(e, a);
}

Shape result_shape(const HeadAttention& a) {
  return {a.q.batch(), a.q.count(), a.q.time(), a.v.size()};
}

/// Part `n` of `count` that stand side by side for each head: [batch, time, heads, count, size].
Heads packed_part(Expansion& e, std::size_t input, std::int64_t n) {
  const Shape& s = e.shape(input);
  const ValueId part = e.add("Squeeze", {cut(e, e.input(input), 3, n, n + 1), e.integers({3})});
  return {e.add("Transpose", {part}, {{"perm", Order{0, 2, 1, 3}}}), {s[0], s[2], s[1], s[4]}};
}

enum : std::size_t { query, key, value, bias, key_mask, score_bias, past_key, past_value };

/// Input `n` as heads, with its share of the bias, which starts at `offset`.
Result<Heads> biased_heads(Expansion& e, std::size_t n, std::int64_t offset) {
  const Shape& shape = e.shape(n);
  if (shape.size() == 4) return Heads{e.input(n), shape};
  ValueId x = e.input(n);
  if (e.has_elements(bias) && shape.size() == 3)
    x = e.add("Add", {x, cut(e, e.input(bias), 0, offset, offset + shape[2])});
  return split_heads(e, x, shape, e.integer("num_heads", 0));
}

Result<HeadAttention> heads_of_inputs(Expansion& e) {
  HeadAttention a;
  if (e.shape(query).size() == 5) {
    a.q = packed_part(e, query, 0), a.k = packed_part(e, query, 1), a.v = packed_part(e, query, 2);
    return a;
  }
  if (!e.has_elements(key))
    return Error{"no keys, expected them in an input of their own or packed"};
  if (e.shape(query).empty()) return Error{"queries without dimensions"};
  const std::int64_t width = e.shape(query).back();
  const auto q = biased_heads(e, query, 0);
  if (!q) return q.error();
  a.q = *q;
  if (e.shape(key).size() == 5) {
    a.k = packed_part(e, key, 0), a.v = packed_part(e, key, 1);
    return a;
  }
  if (!e.has_elements(value))
    return Error{"no values, expected them in an input of their own or packed"};
  const auto k = biased_heads(e, key, width), v = biased_heads(e, value, 2 * width);
  if (!k) return k.error();
  if (!v) return v.error();
  a.k = *k, a.v = *v;
  return a;
}

void multi_head_attention(Expansion& e) {
  auto a = heads_of_inputs(e);
  if (!a) return e.refuse(a.error().message);
  if (e.has_elements(past_key) && e.has_elements(past_value)) {
    if (e.shape(past_key).size() != 4 || e.shape(past_value).size() != 4)
      return e.refuse("expected past keys and values of four dimensions");
    a->k = joined_in_time(e, e.input(past_key), e.shape(past_key), a->k);
    a->v = joined_in_time(e, e.input(past_value), e.shape(past_value), a->v);
  }
  const auto done = attend_masked(e, *a, key_mask, score_bias);
  if (!done) return e.refuse(done.error().message);
  e.output(merged_heads(e, done->result, result_shape(*a)));
  e.output(a->k.value);
  e.output(a->v.value);
  e.output(done->scores);
}

/// One product gives queries, keys and values; the past has keys, then values, in one input.
void merged_attention(Expansion& e) {
  enum : std::size_t { input, weights, merged_bias, mask, past, scores };
  const Shape &x = e.shape(input), &w = e.shape(weights);
  if (e.integer("do_rotary", 0) != 0) return e.refuse("do_rotary 1, expected 0");
  std::vector<std::int64_t> widths = e.view().integers("qkv_hidden_sizes");
  if (widths.empty() && w.size() == 2) widths.assign(3, w[1] / 3);
  if (x.size() != 3 || w.size() != 2 || w[0] != x[2] || widths.size() != 3 ||
      widths[0] + widths[1] + widths[2] != w[1])
    return e.refuse("input " + to_text(x) + " and weights " + to_text(w) + " for widths " +
                    to_text(widths));
  ValueId product = e.add("MatMul", {e.input(input), e.input(weights)});
  if (e.has_elements(merged_bias)) product = e.add("Add", {product, e.input(merged_bias)});
  HeadAttention a;
  std::int64_t start = 0;
  for (Heads* heads : {&a.q, &a.k, &a.v}) {
    const std::int64_t width = widths[static_cast<std::size_t>(heads == &a.q   ? 0
                                                               : heads == &a.k ? 1
                                                                               : 2)];
    const auto split = split_heads(e, cut(e, product, 2, start, start + width), {x[0], x[1], width},
                                   e.integer("num_heads", 0));
    if (!split) return e.refuse(split.error().message);
    *heads = *split;
    start += width;
  }
  if (e.has_elements(past)) {
    const Shape& shape = e.shape(past);
    if (shape.size() != 5 || shape[0] != 2)
      return e.refuse("a past of shape " + to_text(shape) +
                      ", expected [2, batch, heads, time, size]");
    const Shape half(shape.begin() + 1, shape.end());
    const auto part = [&](std::int64_t n) {
      return e.add("Squeeze", {cut(e, e.input(past), 0, n, n + 1), e.integers({0})});
    };
    a.k = joined_in_time(e, part(0), half, a.k);
    a.v = joined_in_time(e, part(1), half, a.v);
  }
  const auto done = attend_masked(e, a, mask, scores);
  if (!done) return e.refuse(done.error().message);
  e.output(merged_heads(e, done->result, result_shape(a)));
  if (e.node().outputs.size() < 2 || a.k.size() != a.v.size()) return;
  e.output(e.add("Concat",
                 {e.add("Unsqueeze", {a.k.value, e.integers({0})}),
                  e.add("Unsqueeze", {a.v.value, e.integers({0})})},
                 {{"axis", 0}}));
}

constexpr Op list[] = {
    {"com.microsoft", "MultiHeadAttention", multi_head_attention},
    {"com.microsoft", "Attention", merged_attention, 2},
};

}  // namespace

std::span<const Op> fused_attention_nodes() { return list; }

}  // namespace tessera::ops
