#pragma once

#include "ir/expr.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera::statement {

/// The values of an index, both ends included. Doubles, because they cannot overflow.
struct Range {
  double min = 0;
  double max = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

inline Range operator+(Range a, Range b) { return {a.min + b.min, a.max + b.max}; }
inline Range operator-(Range a, Range b) { return {a.min - b.max, a.max - b.min}; }
inline Range operator*(Range a, Range b) {
  const auto [min, max] = std::minmax({a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max});
  return {min, max};
}
inline Range hull(Range a, Range b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

/// The values of an integer expression by interval arithmetic, where `axis_range` gives those of an
/// axis; nothing for what depends on data.
template <typename AxisRange>
std::optional<Range> range_of(const Expr& e, const AxisRange& axis_range);

inline std::optional<Range> range_of(BinaryOp op, Range a, Range b) {
  const bool divides = b.min == b.max && b.min > 0;
  switch (op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Sub:
      return a - b;
    case BinaryOp::Mul:
      return a * b;
    case BinaryOp::Min:
      return Range{std::min(a.min, b.min), std::min(a.max, b.max)};
    case BinaryOp::Max:
      return Range{std::max(a.min, b.min), std::max(a.max, b.max)};
    case BinaryOp::Div:
      if (!divides) return std::nullopt;
      return Range{std::floor(a.min / b.min), std::floor(a.max / b.min)};
    case BinaryOp::Mod: {
      if (!divides) return std::nullopt;
      const double round = std::floor(a.min / b.min);
      if (round != std::floor(a.max / b.min)) return Range{0, b.min - 1};
      return Range{a.min - round * b.min, a.max - round * b.min};
    }
    default:
      return std::nullopt;
  }
}

template <typename AxisRange>
std::optional<Range> range_of(const Expr& e, const AxisRange& axis_range) {
  if (const Integer* n = as<Integer>(e)) {
    const auto value = static_cast<double>(n->value);
    return Range{value, value};
  }
  if (const AxisRef* n = as<AxisRef>(e)) return axis_range(n->axis);
  if (const Cast* n = as<Cast>(e)) return range_of(n->a, axis_range);
  if (const Select* n = as<Select>(e)) {
    const auto yes = range_of(n->yes, axis_range), no = range_of(n->no, axis_range);
    return yes && no ? std::optional(hull(*yes, *no)) : std::nullopt;
  }
  if (const Unary* n = as<Unary>(e); n != nullptr && n->op == UnaryOp::Neg) {
    const auto a = range_of(n->a, axis_range);
    return a ? std::optional(Range{} - *a) : std::nullopt;
  }
  if (const Binary* n = as<Binary>(e)) {
    const auto a = range_of(n->a, axis_range), b = range_of(n->b, axis_range);
    return a && b ? range_of(n->op, *a, *b) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tessera::statement
