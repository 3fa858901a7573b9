#pragma once

#include "ir/expr.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

/// An integer expression as constant + sum of coefficient * atom, where atoms are axes and whatever
/// is not linear or has numbers near the end of 64 bits. Atoms keep the order of first appearance.
struct Affine {
  std::int64_t constant = 0;
  std::vector<std::pair<Expr, std::int64_t>> terms;

  void add(const Expr& atom, std::int64_t coefficient);
  /// Coefficient of an axis that occurs as an atom, 0 when absent.
  std::int64_t coefficient(const AxisId& axis) const;
  bool is_constant() const { return terms.empty(); }
};

Affine to_affine(const Expr& e);
Expr to_expr(const Affine& affine);
Affine operator+(Affine a, const Affine& b);
Affine operator*(Affine a, std::int64_t factor);

/// Both ends included.
struct Interval {
  std::int64_t min = 0;
  std::int64_t max = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The loops around a point of a program, outermost first, with their extents.
class LoopScope {
 public:
  void enter(AxisId axis, Expr extent) { loops_.emplace_back(std::move(axis), std::move(extent)); }
  void leave() { loops_.pop_back(); }
  const std::vector<std::pair<AxisId, Expr>>& loops() const { return loops_; }

 private:
  std::vector<std::pair<AxisId, Expr>> loops_;
};

/// The values that an integer expression can take inside `scope`, or nothing when it depends on
/// data or on an axis that `scope` does not hold. Extents such as `min(6, 128 - i.0 * 6)` are used
/// symbolically, so that `i.0 * 6 + i.1` is known to stay below 128.
std::optional<Interval> bounds(const Expr& e, const LoopScope& scope);

/// The largest value of an extent, which must be bounded.
std::int64_t max_extent(const Expr& extent, const LoopScope& scope);

/// The value of a constant integer expression.
std::optional<std::int64_t> constant_value(const Expr& e);

}  // namespace tessera
