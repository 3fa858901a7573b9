#include "ops/nodes/elements.h"

#include "base/text.h"
#include "ops/shape.h"

#include <limits>

namespace tessera::ops {
namespace {

constexpr std::int64_t half_of_uint64 = std::numeric_limits<std::int64_t>::min();

Expr is_equal(const Expr& a, const Expr& b) { return binary(BinaryOp::Equal, a, b); }

/// The dividend's half, which is positive, is divided; what its double leaves may hold one more.
Expr unsigned_quotient(const Expr& a, const Expr& b) {
  const auto is_below = [](const Expr& x, const Expr& y) {
    return in_order(x, ElementType::UInt64) < in_order(y, ElementType::UInt64);
  };
  const Expr divisor = max(b, 1);
  const Expr half = select(is_negative(a), a / 2 + half_of_uint64, a / 2);
  const Expr even = half / divisor * 2;
  const Expr quotient = even + select(is_below(a - even * divisor, divisor), 0, 1);
  return select(is_negative(b), select(is_below(a, b), 0, 1), quotient);
}

Expr signed_quotient(const Expr& a, const Expr& b) {
  const DType dtype = a.dtype();
  const Expr zero = integer(dtype, 0), one = integer(dtype, 1);
  const Expr divisor = max(unary(UnaryOp::Abs, b), one);
  const Expr quotient = (a + select(is_negative(a), divisor - one, zero)) / divisor;
  const Expr smallest = integer(
      dtype, dtype == DType::I32 ? std::numeric_limits<std::int32_t>::min() : half_of_uint64);
  return select(is_equal(b, smallest),
                select(is_equal(a, smallest), one, zero),  // has no magnitude
                select(is_negative(b), unary(UnaryOp::Neg, quotient), quotient));
}

}  // namespace

std::optional<IntegerRange> narrow_range(ElementType element) {
  switch (element) {
    case ElementType::UInt8:
      return IntegerRange{0, 255};
    case ElementType::Int8:
      return IntegerRange{-128, 127};
    case ElementType::UInt16:
      return IntegerRange{0, 65535};
    case ElementType::Int16:
      return IntegerRange{-32768, 32767};
    case ElementType::UInt32:
      return IntegerRange{0, 0xffffffff};
    default:
      return std::nullopt;
  }
}

Expr is_negative(const Expr& value) { return value < number(value.dtype(), 0); }

Expr integer(DType dtype, std::int64_t value) { return Expr(ExprNode{Integer{dtype, value}}); }

Expr wrapped(const Expr& value, ElementType element) {
  const auto range = narrow_range(element);
  if (!range) return value;
  const Expr low = integer(value.dtype(), range->low);
  const Expr count = integer(value.dtype(), range->high - range->low + 1);
  return (value - low) % count + low;
}

Expr saturated(const Expr& value, ElementType element) {
  const auto range = narrow_range(element);
  if (!range) return value;
  return min(max(value, number(value.dtype(), static_cast<double>(range->low))),
             number(value.dtype(), static_cast<double>(range->high)));
}

Expr converted(const Expr& value, ElementType to) {
  const DType dtype = dtype_of(to);
  if (dtype == DType::Bool && value.dtype() != DType::Bool)
    return unary(UnaryOp::Not, binary(BinaryOp::Equal, value, number(value.dtype(), 0)));
  if (to == ElementType::UInt64 && is_float(value.dtype())) {
    const Expr beyond =
        min(value - real(0x1p64), real(-1));  // the largest for what is larger still
    return cast(dtype, select(value < real(0x1p63), value, beyond));
  }
  return wrapped(cast(dtype, value), to);
}

Expr as_real(const Expr& value, ElementType element) {
  const Expr real_value = cast(DType::F32, value);
  if (element != ElementType::UInt64) return real_value;
  return select(is_negative(value), real_value + real(0x1p64), real_value);
}

Expr in_order(const Expr& value, ElementType element) {
  return element == ElementType::UInt64 ? value + half_of_uint64 : value;
}

Expr truncated_quotient(const Expr& a, const Expr& b, ElementType element) {
  const Expr zero = number(b.dtype(), 0);
  return select(is_equal(b, zero), zero,
                element == ElementType::UInt64 ? unsigned_quotient(a, b) : signed_quotient(a, b));
}

Expr truncated_remainder(const Expr& a, const Expr& b, ElementType element) {
  const Expr zero = number(b.dtype(), 0);
  return select(is_equal(b, zero), zero, a - truncated_quotient(a, b, element) * b);
}

Expr scalar_input(const Definition& d, std::size_t n) {
  if (element_count(d.shape(n)) != 1) {
    d.b.refuse(d.node().title(), "input " + std::to_string(n) + " has shape " +
                                     to_text(d.shape(n)) + ", expected one element");
    return number(dtype_of(d.type(n).element), 0);
  }
  if (const Constant* known = d.constant(n)) {
    const HostBuffer& data = *known->data;
    return is_float(data.dtype()) ? real(data.get(0)) : integer(data.dtype(), data.get_integer(0));
  }
  return d.b.read(d.input(n), std::vector<Expr>(d.shape(n).size(), 0));
}

}  // namespace tessera::ops
