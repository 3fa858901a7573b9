#include "base/text.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/nodes/operands.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

/// With the sign of the divisor, as in Python.
Expr floored_remainder(const Expr& a, const Expr& b, ElementType element) {
  const Expr rest = truncated_remainder(a, b, element);
  if (element == ElementType::UInt64) return rest;
  const Expr has_rest = unary(UnaryOp::Not, binary(BinaryOp::Equal, rest, number(a.dtype(), 0)));
  const Expr has_sign = binary(BinaryOp::Equal, is_negative(rest), is_negative(b));
  return select(has_rest && unary(UnaryOp::Not, has_sign), rest + b, rest);
}

template <BinaryOp Operator>
void arithmetic(Definition& d) {
  if (gives_nothing(d)) return;
  d.output(of_both_numbers(d, [&](const Expr& a, const Expr& b) {
    return wrapped(binary(Operator, a, b), d.type(0).element);
  }));
}

void divide(Definition& d) {
  d.output(of_both_numbers(d, [&](const Expr& a, const Expr& b) {
    const ElementType element = d.type(0).element;
    return is_float(a.dtype()) ? a / b : wrapped(truncated_quotient(a, b, element), element);
  }));
}

void modulo(Definition& d) {
  const bool is_c = d.integer("fmod", 0) != 0;
  if (is_float(dtype_of(d.type(0).element)) && !is_c)
    return d.refuse("fmod is 0, expected 1 for floats");
  d.output(of_both_numbers(d, [&](const Expr& a, const Expr& b) {
    if (is_float(a.dtype())) return a % b;
    const ElementType element = d.type(0).element;
    return is_c ? truncated_remainder(a, b, element) : floored_remainder(a, b, element);
  }));
}

template <BinaryOp Operator>
TensorId fold(const Definition& d) {
  const std::vector<TensorId> operands = d.all_inputs();
  const DType dtype = d.b.dtype(operands.front());
  for (const TensorId& id : operands)
    if (d.b.dtype(id) != dtype)
      return d.b.refuse(d.node().title(), dtypes_differ(dtype, d.b.dtype(id)));
  if (dtype == DType::Bool) return d.b.refuse(d.node().title(), undefined_for(dtype));
  // a sum does not care for order
  const ElementType order = Operator == BinaryOp::Add ? ElementType::Int64 : d.type(0).element;
  return elementwise(
      d.b, operands,
      [&](std::span<const Expr> e) {
        Expr all = in_order(e[0], order);
        for (const Expr& next : e.subspan(1)) all = binary(Operator, all, in_order(next, order));
        return in_order(all, order);
      },
      d.node().op);
}

template <BinaryOp Operator>
void fold_all(Definition& d) {
  d.output(fold<Operator>(d));
}

void mean(Definition& d) {
  const double share = 1.0 / static_cast<double>(d.input_count());
  d.output(map_float(
      d.b, fold<BinaryOp::Add>(d), [&](const Expr& e) { return e * real(share); }, d.node().op));
}

/// Integers to the power of integers: a product of as many factors as may count before it wraps.
TensorId integer_power(Definition& d, const std::vector<TensorId>& operands) {
  const Result<Shape> shape = broadcast(d.shape(0), d.shape(1));
  if (!shape) return d.b.refuse(d.node().title(), shape.error().message);
  std::vector<Axis> axes = spatial_axes(*shape);
  const auto element = [&](std::size_t n) {
    return d.b.read(operands[n], broadcast_indices(d.shape(n), axes));
  };
  const Expr base = element(0), exponent = cast(DType::I64, element(1));
  const Expr is_counted = axis("factor") < exponent;
  axes.push_back(reduced("factor", 64));
  return d.b.stage(d.node().op, axes, Reducer::Prod,
                   select(is_counted, base, number(base.dtype(), 1)));
}

/// The exponent, when it is one known number that changes no shape.
std::optional<double> known_exponent(const Definition& d) {
  if (d.constant(1) == nullptr || element_count(d.shape(1)) != 1) return std::nullopt;
  if (d.shape(1).size() > d.shape(0).size()) return std::nullopt;
  return d.constant(1)->data->get(0);
}

Expr real_power(const Expr& base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 2) return base * base;
  if (exponent == 0.5) return unary(UnaryOp::Sqrt, base);
  return binary(BinaryOp::Pow, base, real(exponent));
}

/// A power that lies within rounding of an integer is that integer.
Expr settled(const Expr& power) {
  const Expr nearest = unary(UnaryOp::Round, power);
  const Expr distance = unary(UnaryOp::Abs, power - nearest);
  return select(distance <= real(1e-5) * unary(UnaryOp::Abs, nearest), nearest, power);
}

/// The result has the type of the base.
void power(Definition& d) {
  const ElementType element = d.type(0).element;
  const bool is_real = is_float(dtype_of(element));
  const std::vector<TensorId> operands = two_operands(d);
  if (is_real)
    if (const std::optional<double> exponent = known_exponent(d))
      return d.output(map(
          d.b, operands[0], [&](const Expr& e) { return real_power(e, *exponent); }, d.node().op));
  if (!is_real && !is_float(dtype_of(d.type(1).element)))
    return d.output(integer_power(d, operands));
  d.output(elementwise(
               d.b, operands,
               [&](std::span<const Expr> e) {
                 const Expr raised = binary(BinaryOp::Pow, as_real(e[0], element),
                                            as_real(e[1], d.type(1).element));
                 return is_real ? raised : converted(settled(raised), element);
               },
               d.node().op),
           element);
}

/// 1, 2, 4 .. up to what is positive in `dtype`.
std::vector<double> powers_of_two(DType dtype) {
  std::vector<double> values;
  for (int n = 0; n < (dtype == DType::I32 ? 31 : 63); ++n)
    values.push_back(static_cast<double>(std::int64_t{1} << n));
  return values;
}

void bit_shift(Definition& d) {
  const std::string direction = d.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return d.refuse("direction is \"" + direction + "\", expected LEFT or RIGHT");
  const ElementType element = d.type(0).element;
  const DType dtype = dtype_of(element);
  if (is_float(dtype)) return d.refuse(undefined_for(dtype));
  std::vector<double> values = powers_of_two(dtype);
  if (element == ElementType::UInt64) values.push_back(-0x1p63);  // the bits of 2^63
  const auto count = static_cast<std::int64_t>(values.size());
  const TensorId powers = d.b.table("powers", {count}, std::move(values), dtype);
  d.output(of_both_numbers(d, [&](const Expr& x, const Expr& by) {
    const Expr power = d.b.read(powers, {min(max(cast(DType::I64, by), 0), count - 1)});
    return direction == "LEFT" ? wrapped(x * power, element)
                               : truncated_quotient(x, power, element);
  }));
}

Expr bits_and(const Expr& a, const Expr& b) { return a && b; }
Expr bits_or(const Expr& a, const Expr& b) { return binary(BinaryOp::Or, a, b); }
Expr bits_xor(const Expr& a, const Expr& b) {
  return unary(UnaryOp::Not, binary(BinaryOp::Equal, a, b));
}

/// sum(bit) join(bit of x, bit of y) * 2^bit, where the last bit is the sign and counts negative.
template <Expr (*Join)(const Expr&, const Expr&)>
void bitwise(Definition& d) {
  const DType dtype = dtype_of(d.type(0).element);
  if (dtype != dtype_of(d.type(1).element) || is_float(dtype) || dtype == DType::Bool)
    return d.refuse("expected integers of one type");
  const Result<Shape> shape = broadcast(d.shape(0), d.shape(1));
  if (!shape) return d.refuse(shape.error().message);
  std::vector<double> values = powers_of_two(dtype);
  const auto sign = static_cast<std::int64_t>(values.size());
  const TensorId powers = d.b.table("powers", {sign}, std::move(values), dtype);
  std::vector<Axis> axes = spatial_axes(*shape);
  const Expr is_sign = binary(BinaryOp::Equal, axis("bit"), sign);
  const Expr power = d.b.read(powers, {min(axis("bit"), sign - 1)});
  const auto bit = [&](std::size_t n) {
    const Expr x = d.b.read(d.input(n), broadcast_indices(d.shape(n), axes));
    const Expr is_set = binary(BinaryOp::Equal, x / power % number(dtype, 2), number(dtype, 1));
    return select(is_sign, is_negative(x), is_set);
  };
  const Expr joined = Join(bit(0), bit(1));
  const Expr weight = select(is_sign, number(dtype, -2) * power, power);
  axes.push_back(reduced("bit", sign + 1));
  d.output(d.b.stage(d.node().op, axes, Reducer::Sum, select(joined, weight, number(dtype, 0))));
}

constexpr Op list[] = {
    {"", "Add", arithmetic<BinaryOp::Add>, 2, true},
    {"", "BitShift", bit_shift, 2},
    {"", "BitwiseAnd", bitwise<bits_and>, 2},
    {"", "BitwiseOr", bitwise<bits_or>, 2},
    {"", "BitwiseXor", bitwise<bits_xor>, 2},
    {"", "Div", divide, 2},
    {"", "Max", fold_all<BinaryOp::Max>},
    {"", "Mean", mean},
    {"", "Min", fold_all<BinaryOp::Min>},
    {"", "Mod", modulo, 2},
    {"", "Mul", arithmetic<BinaryOp::Mul>, 2, true},
    {"", "Pow", power, 2},
    {"", "Sub", arithmetic<BinaryOp::Sub>, 2, true},
    {"", "Sum", fold_all<BinaryOp::Add>},
};

}  // namespace

std::span<const Op> arithmetic_nodes() { return list; }

}  // namespace tessera::ops
