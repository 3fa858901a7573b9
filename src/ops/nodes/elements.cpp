#include "ops/nodes/elements.h"

#include "base/text.h"
#include "ops/shape.h"

namespace tessera::ops {

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
  return wrapped(cast(dtype, value), to);
}

Expr truncated_quotient(const Expr& a, const Expr& b) {
  const auto is_negative = [](const Expr& e) { return e < number(e.dtype(), 0); };
  const Expr divisor = max(unary(UnaryOp::Abs, b), number(b.dtype(), 1));
  const Expr magnitude = unary(UnaryOp::Abs, a) / divisor;
  return select(binary(BinaryOp::Equal, is_negative(a), is_negative(b)), magnitude,
                unary(UnaryOp::Neg, magnitude));
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
