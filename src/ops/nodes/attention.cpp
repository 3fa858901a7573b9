#include "ops/nodes/attention.h"

#include "base/text.h"

#include <limits>

namespace tessera::ops {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
using Order = std::vector<std::int64_t>;

/// Each head `count / heads` times in a row.
ValueId repeated_heads(Expansion& e, const Heads& heads, std::int64_t count) {
  if (heads.count() == count) return heads.value;
  const auto& [value, s] = heads;
  const ValueId apart = e.add("Unsqueeze", {value, e.integers({2})});
  const ValueId copies =
      e.add("Expand", {apart, e.integers({s[0], s[1], count / s[1], s[2], s[3]})});
  return e.add("Reshape", {copies, e.integers({s[0], count, s[2], s[3]})});
}

}  // namespace

ValueId cut(Expansion& e, const ValueId& value, std::int64_t axis, std::int64_t start,
            std::int64_t end, std::int64_t step) {
  return e.add("Slice", {value, e.integers({start}), e.integers({end}), e.integers({axis}),
                         e.integers({step})});
}

Result<void> verify_heads(const HeadAttention& a) {
  const bool fits = a.q.batch() == a.k.batch() && a.k.count() > 0 &&
                    a.q.count() % a.k.count() == 0 && a.q.size() == a.k.size() &&
                    a.v.batch() == a.k.batch() && a.v.count() == a.k.count() &&
                    a.v.time() == a.k.time();
  if (fits) return {};
  return Error{"queries " + to_text(a.q.shape) + ", keys " + to_text(a.k.shape) + " and values " +
               to_text(a.v.shape) + " as [batch, heads, time, size] do not fit together"};
}

Attended attend(Expansion& e, const HeadAttention& a) {
  Attended out;
  const ValueId scaled = e.add("Mul", {a.q.value, e.real(a.scale)});
  const ValueId keys =
      e.add("Transpose", {repeated_heads(e, a.k, a.q.count())}, {{"perm", Order{0, 1, 3, 2}}});
  out.scores = e.add("MatMul", {scaled, keys});
  out.capped = out.scores;
  if (a.softcap != 0) {
    const ValueId small = e.add("Tanh", {e.add("Mul", {out.scores, e.real(1 / a.softcap)})});
    out.capped = e.add("Mul", {small, e.real(a.softcap)});
  }
  out.biased = out.capped;
  for (const ValueId& bias : a.biases) out.biased = e.add("Add", {out.biased, bias});
  if (a.change_scores) out.biased = a.change_scores(out.biased);
  out.weights = e.add("Softmax", {out.biased}, {{"axis", -1}});
  if (a.may_mask_rows) {
    const ValueId zero = e.constant(e.type(0).element, {}, {0});
    out.weights = e.add("Where", {e.add("IsNaN", {out.weights}), zero, out.weights});
  }
  if (a.change_weights) out.weights = a.change_weights(out.weights);
  out.result = e.add("MatMul", {out.weights, repeated_heads(e, a.v, a.q.count())});
  return out;
}

Result<Heads> split_heads(Expansion& e, const ValueId& x, const Shape& shape, std::int64_t heads) {
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0)
    return Error{"shape " + to_text(shape) + " for " + std::to_string(heads) +
                 " heads, expected [batch, time, heads * size]"};
  const std::int64_t size = shape[2] / heads;
  const ValueId apart = e.add("Reshape", {x, e.integers({shape[0], shape[1], heads, size})});
  return Heads{e.add("Transpose", {apart}, {{"perm", Order{0, 2, 1, 3}}}),
               {shape[0], heads, shape[1], size}};
}

ValueId merged_heads(Expansion& e, const ValueId& x, const Shape& shape) {
  const ValueId by_time = e.add("Transpose", {x}, {{"perm", Order{0, 2, 1, 3}}});
  return e.add("Reshape", {by_time, e.integers({shape[0], shape[2], shape[1] * shape[3]})});
}

Heads joined_in_time(Expansion& e, const ValueId& earlier, const Shape& shape, const Heads& later) {
  Heads out{e.add("Concat", {earlier, later.value}, {{"axis", 2}}), later.shape};
  out.shape[2] += shape[2];
  return out;
}

ValueId bias_where(Expansion& e, std::int64_t rows, std::int64_t columns,
                   const std::function<bool(std::int64_t, std::int64_t)>& may_attend) {
  std::vector<double> values;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      values.push_back(may_attend(row, column) ? 0 : minus_infinity);
  return e.constant(ElementType::Float, {rows, columns}, values);
}

ValueId bias_of_mask(Expansion& e, const ValueId& mask) {
  return e.add("Where", {mask, e.real(0), e.real(minus_infinity)});
}

ValueId rotated(Expansion& e, const ValueId& x, const Shape& shape, const Rotation& r) {
  const std::int64_t half = r.width / 2;
  const ValueId first = r.is_interleaved ? cut(e, x, -1, 0, r.width, 2) : cut(e, x, -1, 0, half);
  const ValueId second =
      r.is_interleaved ? cut(e, x, -1, 1, r.width, 2) : cut(e, x, -1, half, r.width);
  const ValueId real =
      e.add("Sub", {e.add("Mul", {first, r.cosine}), e.add("Mul", {second, r.sine})});
  const ValueId imaginary =
      e.add("Add", {e.add("Mul", {first, r.sine}), e.add("Mul", {second, r.cosine})});
  ValueId turned;
  if (r.is_interleaved) {
    Shape pairs = shape;
    pairs.back() = r.width;
    const ValueId apart = e.add("Concat",
                                {e.add("Unsqueeze", {real, e.integers({-1})}),
                                 e.add("Unsqueeze", {imaginary, e.integers({-1})})},
                                {{"axis", -1}});
    turned = e.add("Reshape", {apart, e.integers(pairs)});
  } else {
    turned = e.add("Concat", {real, imaginary}, {{"axis", -1}});
  }
  if (r.width == shape.back()) return turned;
  return e.add("Concat", {turned, cut(e, x, -1, r.width, shape.back())}, {{"axis", -1}});
}

}  // namespace tessera::ops
