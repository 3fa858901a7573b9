#include "base/text.h"
#include "ops/nodes/attention.h"
#include "ops/nodes/inline_graph.h"
#include "ops/nodes/nodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tessera::ops {
namespace {

enum : std::size_t { mask_input = 3, past_input = 4, past_values_input = 5, lengths_input = 6 };

/// Input `n` as heads, from three or four dimensions.
Result<Heads> heads_of(Expansion& e, std::size_t n, std::string_view count) {
  if (e.shape(n).size() == 4) return Heads{e.input(n), e.shape(n)};
  return split_heads(e, e.input(n), e.shape(n), e.integer(count, 0));
}

/// A mask that ends before the last key says nothing of the keys after it: they are not attended.
ValueId mask_for_all_keys(Expansion& e, std::int64_t keys) {
  const Shape& shape = e.shape(mask_input);
  const std::int64_t missing = shape.empty() ? 0 : keys - shape.back();
  if (missing <= 0 || shape.back() == 1) return e.input(mask_input);
  const bool is_bool = e.type(mask_input).element == ElementType::Bool;
  const ValueId fill = is_bool ? e.constant(ElementType::Bool, {}, {0})
                               : e.real(-std::numeric_limits<double>::infinity());
  return e.add("Pad", {e.input(mask_input), e.integers({0, missing}), fill, e.integers({-1})});
}

/// Keys that stand after the last of a cache, or after the query, are not attended.
ValueId bias_of_lengths(Expansion& e, const HeadAttention& a, bool is_causal) {
  const ElementType element = e.type(lengths_input).element;
  std::vector<double> columns, rows;
  for (std::int64_t j = 0; j < a.k.time(); ++j) columns.push_back(static_cast<double>(j));
  for (std::int64_t i = 0; i < a.q.time(); ++i)
    rows.push_back(static_cast<double>(is_causal ? i + 1 - a.q.time() : 0));
  const ValueId lengths = e.add("Reshape", {e.input(lengths_input), e.integers({-1, 1, 1, 1})});
  const ValueId ends = e.add("Add", {lengths, e.constant(element, {a.q.time(), 1}, rows)});
  return bias_of_mask(e, e.add("Less", {e.constant(element, {a.k.time()}, columns), ends}));
}

void add_biases(Expansion& e, HeadAttention& a, std::int64_t past) {
  const bool is_causal = e.integer("is_causal", 0) != 0;
  const std::int64_t left = e.integer("left_window_size", -1);
  const std::int64_t right = e.integer("right_window_size", -1);
  if (e.has_input(mask_input)) {
    const ValueId mask = mask_for_all_keys(e, a.k.time());
    const bool is_bool = e.type(mask_input).element == ElementType::Bool;
    a.biases.push_back(is_bool ? bias_of_mask(e, mask) : mask);
    a.may_mask_rows = true;
  }
  if (e.has_input(lengths_input)) {
    if (left >= 0 || right >= 0) return e.refuse("a window and lengths, expected one of them");
    a.biases.push_back(bias_of_lengths(e, a, is_causal));
    a.may_mask_rows = true;
  } else if (is_causal || left >= 0 || right >= 0) {
    a.biases.push_back(bias_where(e, a.q.time(), a.k.time(), [&](std::int64_t i, std::int64_t j) {
      const std::int64_t ahead = j - i - past;
      return !(is_causal && ahead > 0) && !(left >= 0 && -ahead > left) &&
             !(right >= 0 && ahead > right);
    }));
  }
}

void attention(Expansion& e) {
  const auto q = heads_of(e, 0, "q_num_heads"), k = heads_of(e, 1, "kv_num_heads"),
             v = heads_of(e, 2, "kv_num_heads");
  for (const auto* heads : {&q, &k, &v})
    if (!*heads) return e.refuse(heads->error().message);
  HeadAttention a;
  a.q = *q, a.k = *k, a.v = *v;
  std::int64_t past = 0;
  if (e.has_elements(past_input) && e.has_elements(past_values_input)) {
    if (e.shape(past_input).size() != 4 || e.shape(past_values_input).size() != 4)
      return e.refuse("expected past keys and values of four dimensions");
    past = e.shape(past_input)[2];
    a.k = joined_in_time(e, e.input(past_input), e.shape(past_input), a.k);
    a.v = joined_in_time(e, e.input(past_values_input), e.shape(past_values_input), a.v);
  }
  if (const auto sound = verify_heads(a); !sound) return e.refuse(sound.error().message);
  a.scale = e.view().real("scale", 1 / std::sqrt(static_cast<double>(a.q.size())));
  a.softcap = e.view().real("softcap", 0);
  add_biases(e, a, past);
  const Attended done = attend(e, a);
  const Shape result = {a.q.batch(), a.q.count(), a.q.time(), a.v.size()};
  e.output(e.shape(0).size() == 3 ? merged_heads(e, done.result, result) : done.result);
  e.output(a.k.value);
  e.output(a.v.value);
  const ValueId* const shown[] = {&done.scores, &done.capped, &done.biased, &done.weights};
  const std::int64_t mode = e.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return e.refuse("qk_matmul_output_mode " + std::to_string(mode) + ", expected 0 to 3");
  e.output(*shown[mode]);
}

/// Attention whose scores and weights go through graphs of the node's own.
void flex_attention(Expansion& e) {
  HeadAttention a;
  for (const auto& [n, heads] : {std::pair{0U, &a.q}, {1U, &a.k}, {2U, &a.v}}) {
    if (e.shape(n).size() != 4)
      return e.refuse("input of shape " + to_text(e.shape(n)) +
                      ", expected [batch, heads, time, size]");
    *heads = {e.input(n), e.shape(n)};
  }
  if (const auto sound = verify_heads(a); !sound) return e.refuse(sound.error().message);
  a.scale = e.view().real("scale", 1 / std::sqrt(static_cast<double>(a.q.size())));
  for (const auto& [name, change] :
       {std::pair{"score_mod", &a.change_scores}, {"prob_mod", &a.change_weights}}) {
    const Graph* graph = e.graph(name);
    if (graph == nullptr) continue;
    if (graph->inputs.size() != 1 || graph->outputs.size() != 1)
      return e.refuse("expected a " + std::string(name) + " of one input and one output");
    *change = [&e, graph, name](const ValueId& value) {
      const std::string prefix = e.node().outputs.front() + "/" + name;
      return inline_graph(e, *graph, std::array{value}, prefix).front();
    };
  }
  e.output(attend(e, a).result);
}

/// Where the inputs of the two forms of RotaryEmbedding stand.
struct RotaryInputs {
  std::size_t positions = 3, cosine = 1, sine = 2;
};

/// Angles for [batch, heads, time, size], or [batch, time, heads, size] when heads come later.
Result<Rotation> rotation_of(Expansion& e, const RotaryInputs& inputs, std::int64_t batch,
                             std::int64_t time, std::int64_t size, std::int64_t heads_axis) {
  Rotation r;
  r.is_interleaved = e.integer("interleaved", 0) != 0;
  r.width = e.integer("rotary_embedding_dim", 0);
  if (r.width == 0) r.width = size;
  const Shape &cosine = e.shape(inputs.cosine), &sine = e.shape(inputs.sine);
  if (cosine.empty() || cosine != sine || cosine.back() * 2 != r.width || r.width > size)
    return Error{"caches " + to_text(cosine) + " and " + to_text(sine) + " for " +
                 std::to_string(r.width) + " of " + std::to_string(size) + " elements"};
  ValueId positions;
  if (e.has_elements(inputs.positions)) {
    positions = e.input(inputs.positions);
    if (e.shape(inputs.positions).size() == 1) {  // that of the first, counting on
      std::vector<double> steps;
      for (std::int64_t t = 0; t < time; ++t) steps.push_back(static_cast<double>(t));
      positions =
          e.add("Add", {e.constant(e.type(inputs.positions).element, {1, time}, steps), positions});
    }
  } else if (cosine.size() != 3 || cosine[0] != batch || cosine[1] != time) {
    return Error{"caches " + to_text(cosine) + " without positions, expected [" +
                 std::to_string(batch) + ", " + std::to_string(time) + ", " +
                 std::to_string(r.width / 2) + "]"};
  }
  const auto angle = [&](std::size_t n) {
    const ValueId all = positions.empty() ? e.input(n) : e.add("Gather", {e.input(n), positions});
    return e.add("Unsqueeze", {all, e.integers({heads_axis})});
  };
  r.cosine = angle(inputs.cosine);
  r.sine = angle(inputs.sine);
  return r;
}

void rotary(Expansion& e, const RotaryInputs& inputs) {
  const Shape& shape = e.shape(0);
  if (shape.size() == 4) {
    const auto r = rotation_of(e, inputs, shape[0], shape[2], shape[3], 1);
    if (!r) return e.refuse(r.error().message);
    return e.output(rotated(e, e.input(0), shape, *r));
  }
  std::int64_t heads = e.integer("num_heads", 0);
  const bool has_width = e.has_elements(inputs.cosine) && !e.shape(inputs.cosine).empty();
  const std::int64_t width = has_width ? e.shape(inputs.cosine).back() * 2 : 0;
  if (heads == 0 && shape.size() == 3 && width > 0) heads = shape[2] / width;
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0)
    return e.refuse("shape " + to_text(shape) + " for " + std::to_string(heads) +
                    " heads, expected [batch, time, heads * size]");
  const Shape apart = {shape[0], shape[1], heads, shape[2] / heads};
  const auto r = rotation_of(e, inputs, shape[0], shape[1], apart[3], 2);
  if (!r) return e.refuse(r.error().message);
  const ValueId x = e.add("Reshape", {e.input(0), e.integers(apart)});
  e.output(e.add("Reshape", {rotated(e, x, apart, *r), e.integers(shape)}));
}

void rotary_embedding(Expansion& e) { rotary(e, {}); }

void rotary_embedding_of_onnxruntime(Expansion& e) {
  if (e.integer("is_packed_batching", 0) != 0) return e.refuse("is_packed_batching 1, expected 0");
  rotary(e, {.positions = 1, .cosine = 2, .sine = 3});
}

constexpr Op list[] = {
    {"", "Attention", attention, 3},
    {"", "RotaryEmbedding", rotary_embedding, 3},
    {"ai.onnx.preview", "FlexAttention", flex_attention, 3},
    {"com.microsoft", "RotaryEmbedding", rotary_embedding_of_onnxruntime, 4},
};

}  // namespace

std::span<const Op> transformer_nodes() { return list; }

}  // namespace tessera::ops
