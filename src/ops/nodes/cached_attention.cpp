#include "base/text.h"
#include "ops/nodes/attention.h"
#include "ops/nodes/nodes.h"

#include <algorithm>
#include <cmath>

/// onnxruntime's GroupQueryAttention: causal attention over a cache that it updates, with the
/// rotation of queries and keys inside.
namespace tessera::ops {
namespace {

enum : std::size_t {
  query,
  key,
  value,
  past_key,
  past_value,
  last_key,
  total_keys,
  cosine,
  sine,
  positions,
  score_bias,
  head_sink
};

/// Where the queries stand in time. When there is nothing before them that is known; else it
/// depends on how many keys each batch has.
struct Place {
  bool is_first = true;  // no keys come before
  ValueId earlier;       // else: how many do, [batch]
  ValueId of_queries;    // and the time of each query, [batch, queries]
};

Result<HeadAttention> heads_of_inputs(Expansion& e) {
  const std::int64_t heads = e.integer("num_heads", 0), shared = e.integer("kv_num_heads", 0);
  if (heads < 1 || shared < 1) return Error{"expected num_heads and kv_num_heads"};
  HeadAttention a;
  if (e.has_elements(key) && e.has_elements(value)) {
    const auto q = split_heads(e, e.input(query), e.shape(query), heads);
    const auto k = split_heads(e, e.input(key), e.shape(key), shared);
    const auto v = split_heads(e, e.input(value), e.shape(value), shared);
    for (const auto* split : {&q, &k, &v})
      if (!*split) return split->error();
    a.q = *q, a.k = *k, a.v = *v;
    return a;
  }
  const auto all = split_heads(e, e.input(query), e.shape(query), heads + 2 * shared);
  if (!all) return all.error();
  const auto part = [&](std::int64_t first, std::int64_t count) {
    Heads out{cut(e, all->value, 1, first, first + count), all->shape};
    out.shape[1] = count;
    return out;
  };
  a.q = part(0, heads), a.k = part(heads, shared), a.v = part(heads + shared, shared);
  return a;
}

Place place_of(Expansion& e, const HeadAttention& a, std::int64_t total) {
  Place place;
  place.is_first = a.q.time() == total;
  if (place.is_first) return place;
  const ElementType element = e.type(last_key).element;
  const ValueId lasts = e.add("Reshape", {e.input(last_key), e.integers({a.q.batch()})});
  const auto less = static_cast<double>(1 - a.q.time());
  place.earlier = e.add("Add", {lasts, e.constant(element, {}, {less})});
  std::vector<double> steps;
  for (std::int64_t t = 0; t < a.q.time(); ++t) steps.push_back(static_cast<double>(t));
  place.of_queries = e.add("Add", {e.add("Unsqueeze", {place.earlier, e.integers({1})}),
                                   e.constant(element, {1, a.q.time()}, steps)});
  return place;
}

Result<void> rotate(Expansion& e, HeadAttention& a, const Place& place) {
  if (e.integer("do_rotary", 0) == 0) return {};
  if (!e.has_elements(cosine) || !e.has_elements(sine) || e.shape(cosine).size() != 2 ||
      e.shape(cosine) != e.shape(sine) || 2 * e.shape(cosine)[1] > a.q.size() ||
      (place.is_first && e.shape(cosine)[0] < a.q.time()))
    return Error{"do_rotary 1, expected caches [times, half of the rotated size]"};
  Rotation r;
  r.is_interleaved = e.integer("rotary_interleaved", 0) != 0;
  r.width = 2 * e.shape(cosine)[1];
  const auto angle = [&](std::size_t n) {
    ValueId at;
    if (e.has_elements(positions))
      at = e.add("Gather", {e.input(n), e.input(positions)});
    else if (place.is_first)
      return cut(e, e.input(n), 0, 0, a.q.time());
    else
      at = e.add("Gather", {e.input(n), place.of_queries});
    return e.add("Unsqueeze", {at, e.integers({1})});
  };
  r.cosine = angle(cosine);
  r.sine = angle(sine);
  a.q.value = rotated(e, a.q.value, a.q.shape, r);
  a.k.value = rotated(e, a.k.value, a.k.shape, r);
  return {};
}

/// The cache with the new keys or values in their place: a past that has room keeps its extent.
Result<Heads> updated(Expansion& e, std::size_t past, const Heads& fresh, const Place& place,
                      std::int64_t total) {
  if (!e.has_elements(past)) return fresh;
  Heads out{e.input(past), e.shape(past)};
  if (out.shape.size() != 4 || out.batch() != fresh.batch() || out.count() != fresh.count() ||
      out.size() != fresh.size())
    return Error{"a past of shape " + to_text(out.shape) + " for " + to_text(fresh.shape)};
  if (!place.is_first && out.time() + fresh.time() == total)
    return joined_in_time(e, out.value, out.shape, fresh);
  if (out.time() < total)
    return Error{"a past of " + std::to_string(out.time()) + " and " +
                 std::to_string(fresh.time()) + " new keys, expected " + std::to_string(total)};
  std::vector<ValueId> inputs = {out.value, fresh.value};
  if (!place.is_first) inputs.push_back(place.earlier);
  out.value = e.add("TensorScatter", inputs, {{"axis", 2}});
  return out;
}

/// Keys up to the query are attended, in a window of so many before it when there is one.
ValueId causal_bias(Expansion& e, const HeadAttention& a, const Place& place) {
  const std::int64_t window = e.integer("local_window_size", -1);
  if (place.is_first)
    return bias_where(e, a.q.time(), a.k.time(), [&](std::int64_t i, std::int64_t j) {
      return j <= i && (window < 0 || i - j < window);
    });
  const ElementType element = e.type(last_key).element;
  std::vector<double> times;
  for (std::int64_t t = 0; t < a.k.time(); ++t) times.push_back(static_cast<double>(t));
  const ValueId columns = e.constant(element, {a.k.time()}, times);
  const ValueId rows =
      e.add("Reshape", {place.of_queries, e.integers({a.q.batch(), 1, a.q.time(), 1})});
  ValueId may_attend = e.add("LessOrEqual", {columns, rows});
  if (window >= 0) {
    const ValueId first =
        e.add("Sub", {rows, e.constant(element, {}, {static_cast<double>(window)})});
    may_attend = e.add("And", {may_attend, e.add("Less", {first, columns})});
  }
  return bias_of_mask(e, may_attend);
}

void group_query_attention(Expansion& e) {
  if (e.has_elements(head_sink) || e.integer("smooth_softmax", 0) > 0)
    return e.refuse("head sinks or a smooth softmax, expected neither");
  const auto total = e.view().integers(total_keys, "total sequence length");
  if (!total) return e.refuse(total.error().message);
  auto a = heads_of_inputs(e);
  if (!a) return e.refuse(a.error().message);
  if (total->size() != 1 || (*total)[0] < a->q.time() ||
      element_count(e.shape(last_key)) != a->q.batch())
    return e.refuse("expected a total sequence length of at least " + std::to_string(a->q.time()) +
                    " and the last key of each batch");
  const Place place = place_of(e, *a, (*total)[0]);
  if (const auto done = rotate(e, *a, place); !done) return e.refuse(done.error().message);
  const auto k = updated(e, past_key, a->k, place, (*total)[0]);
  const auto v = updated(e, past_value, a->v, place, (*total)[0]);
  if (!k) return e.refuse(k.error().message);
  if (!v) return e.refuse(v.error().message);
  a->k = *k, a->v = *v;
  if (const auto sound = verify_heads(*a); !sound) return e.refuse(sound.error().message);
  a->scale = e.view().real("scale", 0);
  if (a->scale == 0) a->scale = 1 / std::sqrt(static_cast<double>(a->q.size()));
  a->softcap = e.view().real("softcap", 0);
  if (e.has_elements(score_bias)) a->biases.push_back(e.input(score_bias));
  a->biases.push_back(causal_bias(e, *a, place));
  const Attended done = attend(e, *a);
  e.output(merged_heads(e, done.result, {a->q.batch(), a->q.count(), a->q.time(), a->v.size()}));
  e.output(a->k.value);
  e.output(a->v.value);
}

constexpr Op list[] = {
    {"com.microsoft", "GroupQueryAttention", group_query_attention, 1},
};

}  // namespace

std::span<const Op> cached_attention_nodes() { return list; }

}  // namespace tessera::ops
