#pragma once

#include "ops/op.h"

#include <functional>
#include <optional>
#include <vector>

/// Attention in the nodes that exporters write for it, so that one pass recognises all of them:
///
///     Softmax(MatMul(Mul(q, scale), Transpose(k)) + bias) v
namespace tessera::ops {

/// Values [batch, heads, time, size] of those extents.
struct Heads {
  ValueId value;
  Shape shape;

  std::int64_t batch() const { return shape[0]; }
  std::int64_t count() const { return shape[1]; }
  std::int64_t time() const { return shape[2]; }
  std::int64_t size() const { return shape[3]; }
};

struct HeadAttention {
  Heads q, k, v;  // a head of k and v may serve several of q
  double scale = 1;
  double softcap = 0;           // scores s become softcap * tanh(s / softcap); 0: they stay
  std::vector<ValueId> biases;  // each broadcasts to the scores [batch, heads, time of q, of k]
  bool may_mask_rows = false;   // a query that attends no key gives zeros, not nan
  /// What becomes of the scores before the softmax and of the weights after it; null: they stay.
  std::function<ValueId(const ValueId&)> change_scores, change_weights;
};

/// Refuses heads that do not fit together.
Result<void> verify_heads(const HeadAttention& attention);

/// The result [batch, heads, time, size of v] and what is computed on the way, in order.
struct Attended {
  ValueId scores, capped, biased, weights, result;
};

Attended attend(Expansion& e, const HeadAttention& attention);

/// [batch, time, heads * size] as heads; refuses when the heads do not divide.
Result<Heads> split_heads(Expansion& e, const ValueId& x, const Shape& shape, std::int64_t heads);
/// [batch, heads, time, size] as [batch, time, heads * size].
ValueId merged_heads(Expansion& e, const ValueId& x, const Shape& shape);
/// `later` after `earlier` in time.
Heads joined_in_time(Expansion& e, const ValueId& earlier, const Shape& shape, const Heads& later);

/// A bias [rows, columns]: 0 where a query may attend a key, else -inf.
ValueId bias_where(Expansion& e, std::int64_t rows, std::int64_t columns,
                   const std::function<bool(std::int64_t, std::int64_t)>& may_attend);
/// The same for a mask of bools known only when the network runs.
ValueId bias_of_mask(Expansion& e, const ValueId& mask);

/// Pairs of the first `width` elements of the last dimension turned by angles whose cosine and sine
/// broadcast to half of them; a pair is two neighbours when interleaved, else one of each half.
struct Rotation {
  ValueId cosine, sine;
  std::int64_t width = 0;
  bool is_interleaved = false;
};
ValueId rotated(Expansion& e, const ValueId& x, const Shape& shape, const Rotation& rotation);

/// `value` cut to [start, end) along `axis`, in steps.
ValueId cut(Expansion& e, const ValueId& value, std::int64_t axis, std::int64_t start,
            std::int64_t end, std::int64_t step = 1);

}  // namespace tessera::ops
