#pragma once

#include "ops/op.h"

#include <optional>

/// Elements as their types hold them, where those are narrower than what is computed with.
namespace tessera::ops {

struct IntegerRange {
  std::int64_t low = 0, high = 0;
};

/// Of an integer type that `dtype_of` widens; nothing for the others.
std::optional<IntegerRange> narrow_range(ElementType element);

/// `value` modulo the range of `element`, where that is narrow.
Expr wrapped(const Expr& value, ElementType element);
/// The nearest value within the range of `element`, where that is narrow.
Expr saturated(const Expr& value, ElementType element);
Expr is_negative(const Expr& value);
/// An integer of either width, or bool.
Expr integer(DType dtype, std::int64_t value);

/// `value`, of any dtype, as an element of another type: a fraction is cut off, integers wrap, bool
/// is whether it is not zero.
Expr converted(const Expr& value, ElementType to);
/// An element of any type as f32.
Expr as_real(const Expr& value, ElementType element);

/// An element so that comparisons, which take i64 for signed, order it as its type does: that of
/// uint64 is moved by half the range. Its own inverse.
Expr in_order(const Expr& value, ElementType element);

/// Integers divided towards zero, where the IR divides towards minus infinity. By zero it gives
/// zero: there is no other answer that all machines share, and a network has no way to fail.
Expr truncated_quotient(const Expr& a, const Expr& b, ElementType element);
/// What that division leaves, with the sign of `a`; by zero it leaves zero.
Expr truncated_remainder(const Expr& a, const Expr& b, ElementType element);

/// Input `n`, which has one element: its value when that is known, otherwise a read.
Expr scalar_input(const Definition& d, std::size_t n);

}  // namespace tessera::ops
