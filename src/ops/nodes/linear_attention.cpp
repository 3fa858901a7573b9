#include "base/text.h"
#include "ops/nodes/attention.h"
#include "ops/nodes/nodes.h"

#include <algorithm>
#include <cmath>

/// Operators that carry a state of fixed size from one time to the next.
namespace tessera::ops {
namespace {

using Order = std::vector<std::int64_t>;

enum : std::size_t { past_input = 3, decay_input = 4, beta_input = 5 };

/// The parts of a LinearAttention as [batch, heads, time, size].
struct LinearAttention {
  Heads q, k, v;
  std::optional<Heads> decay;  // of size 1, or of the keys'
  std::optional<Heads> beta;   // of size 1, of one head or of the keys'
  double scale = 1;
};

/// Whether `part` has one batch and time with `whole`, and extents of its heads and size or one.
bool broadcasts(const Heads& part, const Heads& whole) {
  return part.batch() == whole.batch() && part.time() == whole.time() &&
         (part.count() == 1 || part.count() == whole.count()) &&
         (part.size() == 1 || part.size() == whole.size());
}

Result<LinearAttention> linear_attention_of(Expansion& e) {
  const std::int64_t queries = e.integer("q_num_heads", 0), keys = e.integer("kv_num_heads", 0);
  const std::string rule = e.text("update_rule", "gated_delta");
  const bool is_delta = rule == "delta" || rule == "gated_delta";
  const bool is_gated = rule == "gated" || rule == "gated_delta";
  if (!is_delta && !is_gated && rule != "linear")
    return Error{"update_rule " + rule + ", expected linear, gated, delta or gated_delta"};
  if (is_gated != e.has_input(decay_input) || is_delta != e.has_input(beta_input))
    return Error{"update_rule " + rule + " needs a decay when gated and a beta when delta"};
  LinearAttention a;
  for (const auto& [n, part, count] :
       {std::tuple{0U, &a.q, queries}, {1U, &a.k, keys}, {2U, &a.v, keys}}) {
    auto split = split_heads(e, e.input(n), e.shape(n), count);
    if (!split) return split.error();
    *part = *std::move(split);
  }
  HeadAttention heads;
  heads.q = a.q, heads.k = a.k, heads.v = a.v;
  if (const auto sound = verify_heads(heads); !sound) return sound.error();
  if (a.q.time() != a.k.time()) return Error{"queries and keys of different times"};
  if (is_gated) {
    const auto decay = split_heads(e, e.input(decay_input), e.shape(decay_input), keys);
    if (!decay) return decay.error();
    a.decay = *decay;
  }
  if (is_delta) {
    const Shape& shape = e.shape(beta_input);
    const auto beta = split_heads(e, e.input(beta_input), shape, shape.empty() ? 0 : shape.back());
    if (!beta) return beta.error();
    a.beta = *beta;
  }
  for (const auto& part : {a.decay, a.beta})
    if (part && !broadcasts(*part, a.k))
      return Error{"a decay or beta " + to_text(part->shape) + " for keys " + to_text(a.k.shape)};
  a.scale = e.view().real("scale", 0);
  if (a.scale == 0) a.scale = 1 / std::sqrt(static_cast<double>(a.q.size()));
  return a;
}

ValueId transposed(Expansion& e, const ValueId& x) {
  return e.add("Transpose", {x}, {{"perm", Order{0, 1, 3, 2}}});
}

/// With state S, key k and value v as rows, decay g, rate b:
///
///     S' = exp(g) S          S = S' + k^T b (v - k S')
ValueId next_state(Expansion& e, const LinearAttention& a, const ValueId& state,
                   std::int64_t time) {
  const auto now = [&](const Heads& heads) { return cut(e, heads.value, 2, time, time + 1); };
  const ValueId key = now(a.k);
  ValueId kept = state, written = now(a.v);
  if (a.decay) kept = e.add("Mul", {state, transposed(e, e.add("Exp", {now(*a.decay)}))});
  if (a.beta)
    written = e.add("Mul", {e.add("Sub", {written, e.add("MatMul", {key, kept})}), now(*a.beta)});
  return e.add("Add", {kept, e.add("MatMul", {transposed(e, key), written})});
}

void linear_attention(Expansion& e) {
  const auto a = linear_attention_of(e);
  if (!a) return e.refuse(a.error().message);
  const std::int64_t batch = a->k.batch(), keys = a->k.count(), group = a->q.count() / keys;
  const Shape shape = {batch, keys, a->k.size(), a->v.size()};
  const bool has_past = e.has_input(past_input);
  if (has_past && e.shape(past_input) != shape)
    return e.refuse("a past " + to_text(e.shape(past_input)) + ", expected " + to_text(shape));
  const ElementType element = (has_past ? e.type(past_input) : e.type(0)).element;
  ValueId state = has_past ? e.input(past_input) : e.zeros(element, shape);
  std::vector<ValueId> results;
  for (std::int64_t time = 0; time < a->q.time(); ++time) {
    state = next_state(e, *a, state, time);
    const ValueId query = e.add("Reshape", {cut(e, a->q.value, 2, time, time + 1),
                                            e.integers({batch, keys, group, a->q.size()})});
    results.push_back(e.add("MatMul", {e.add("Mul", {query, e.real(a->scale)}), state}));
  }
  // [batch, keys, time * group, size] has the times of a head apart
  const ValueId all = e.add("Concat", results, {{"axis", 2}});
  const ValueId apart =
      e.add("Reshape", {all, e.integers({batch, keys, a->q.time(), group, a->v.size()})});
  const ValueId by_time = e.add("Transpose", {apart}, {{"perm", Order{0, 2, 1, 3, 4}}});
  e.output(
      e.add("Reshape", {by_time, e.integers({batch, a->q.time(), a->q.count() * a->v.size()})}));
  e.output(state);
}

/// A depthwise convolution over time that sees the past only; what the next one needs of its input
/// is its second output.
void causal_conv(Expansion& e) {
  const Shape &x = e.shape(0), &weights = e.shape(1);
  if (x.size() != 3 || weights.size() != 3 || weights[0] != x[1] || weights[1] != 1)
    return e.refuse("input " + to_text(x) + " and weights " + to_text(weights) +
                    ", expected [batch, channels, time] and [channels, 1, taps]");
  const std::string activation = e.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return e.refuse("activation " + activation + ", expected none, silu or swish");
  const std::int64_t before = weights[2] - 1;
  const Shape state = {x[0], x[1], before};
  if (e.has_input(past_input) && e.shape(past_input) != state)
    return e.refuse("a past " + to_text(e.shape(past_input)) + ", expected " + to_text(state));
  const ElementType element = e.type(0).element;
  ValueId all = e.input(0);
  if (before > 0) {
    const ValueId past = e.has_input(past_input) ? e.input(past_input) : e.zeros(element, state);
    all = e.add("Concat", {past, all}, {{"axis", 2}});
  }
  std::vector<ValueId> inputs = {all, e.input(1)};
  if (e.has_input(2)) inputs.push_back(e.input(2));
  const ValueId sum = e.add("Conv", inputs, {{"group", x[1]}});
  e.output(activation == "none" ? sum : e.add("Mul", {sum, e.add("Sigmoid", {sum})}));
  e.output(before > 0 ? cut(e, all, 2, x[2], x[2] + before) : e.zeros(element, state));
}

constexpr Op list[] = {
    {"", "CausalConvWithState", causal_conv, 2},
    {"", "LinearAttention", linear_attention, 3},
};

}  // namespace

std::span<const Op> linear_attention_nodes() { return list; }

}  // namespace tessera::ops
