#include "base/check.h"
#include "ir/arithmetic.h"
#include "ir/interpret_code.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

template <typename Code, typename F>
Code composed(Code a, F f) {
  return [a = std::move(a), f](InterpretState& state) { return f(a(state)); };
}

/// `f(a, b)`; both are evaluated, `a` first.
template <typename Result, typename Code, typename F>
Result composed(Code a, Code b, F f) {
  return [a = std::move(a), b = std::move(b), f](InterpretState& state) {
    const auto x = a(state);
    const auto y = b(state);
    return f(x, y);
  };
}

template <typename Code>
Code choose(IntegerCode condition, Code yes, Code no) {
  return [condition = std::move(condition), yes = std::move(yes), no = std::move(no)](
             InterpretState& state) { return condition(state) != 0 ? yes(state) : no(state); };
}

/// Reads elements of type `T`.
template <typename Code, typename T>
Code read(Place place) {
  return [place = std::move(place)](InterpretState& state) -> typename Code::result_type {
    const std::int64_t at = place.locate(state);
    if (at < 0) return 0;
    return static_cast<const T*>(state.buffers[place.buffer])[at];
  };
}

RealCode real_unary(UnaryOp op, RealCode a) {
  const auto with = [&](auto f) { return composed(std::move(a), f); };
  switch (op) {
    case UnaryOp::Neg:
      return with([](double x) { return -x; });
    case UnaryOp::Abs:
      return with([](double x) { return std::abs(x); });
    case UnaryOp::Exp:
      return with([](double x) { return std::exp(x); });
    case UnaryOp::Log:
      return with([](double x) { return std::log(x); });
    case UnaryOp::Sqrt:
      return with([](double x) { return std::sqrt(x); });
    case UnaryOp::Rsqrt:
      return with([](double x) { return 1 / std::sqrt(x); });
    case UnaryOp::Erf:
      return with([](double x) { return std::erf(x); });
    case UnaryOp::Tanh:
      return with([](double x) { return std::tanh(x); });
    case UnaryOp::Sigmoid:
      return with([](double x) { return 1 / (1 + std::exp(-x)); });
    case UnaryOp::Sin:
      return with([](double x) { return std::sin(x); });
    case UnaryOp::Cos:
      return with([](double x) { return std::cos(x); });
    case UnaryOp::Floor:
      return with([](double x) { return std::floor(x); });
    case UnaryOp::Ceil:
      return with([](double x) { return std::ceil(x); });
    case UnaryOp::Round:
      return with([](double x) { return std::nearbyint(x); });
    case UnaryOp::Not:
      break;
  }
  fail("a unary operator of reals");
}

RealCode real_binary(BinaryOp op, RealCode a, RealCode b) {
  const auto with = [&](auto f) { return composed<RealCode>(std::move(a), std::move(b), f); };
  switch (op) {
    case BinaryOp::Add:
      return with([](double x, double y) { return x + y; });
    case BinaryOp::Sub:
      return with([](double x, double y) { return x - y; });
    case BinaryOp::Mul:
      return with([](double x, double y) { return x * y; });
    case BinaryOp::Div:
      return with([](double x, double y) { return x / y; });
    case BinaryOp::Mod:
      return with([](double x, double y) { return std::fmod(x, y); });
    case BinaryOp::Pow:
      return with([](double x, double y) { return std::pow(x, y); });
    case BinaryOp::Min:  // nan wins, so that it is not lost on its way to the result
      return with([](double x, double y) { return x < y || std::isnan(x) ? x : y; });
    case BinaryOp::Max:
      return with([](double x, double y) { return x > y || std::isnan(x) ? x : y; });
    default:
      break;
  }
  fail("a binary operator of reals");
}

/// A comparison of two reals or two integers.
template <typename Code>
IntegerCode comparison(BinaryOp op, Code a, Code b) {
  const auto with = [&](auto f) { return composed<IntegerCode>(std::move(a), std::move(b), f); };
  switch (op) {
    case BinaryOp::Less:
      return with([](auto x, auto y) { return x < y ? 1 : 0; });
    case BinaryOp::LessEqual:
      return with([](auto x, auto y) { return x <= y ? 1 : 0; });
    case BinaryOp::Equal:
      return with([](auto x, auto y) { return x == y ? 1 : 0; });
    default:
      break;
  }
  fail("a comparison");
}

/// `f(a, b)`, refused unless `b` is positive.
template <typename F>
IntegerCode division(IntegerCode a, IntegerCode b, F f) {
  return [a = std::move(a), b = std::move(b), f](InterpretState& state) -> std::int64_t {
    const std::int64_t x = a(state);
    const std::int64_t y = b(state);
    if (y > 0) return f(x, y);
    state.refuse("integer division by " + std::to_string(y) + ", expected a positive divisor");
    return 0;
  };
}

IntegerCode integer_binary(BinaryOp op, IntegerCode a, IntegerCode b) {
  const auto with = [&](auto f) { return composed<IntegerCode>(std::move(a), std::move(b), f); };
  using Int = std::int64_t;
  switch (op) {
    case BinaryOp::Add:
      return with(wrapping_add);
    case BinaryOp::Sub:
      return with(wrapping_sub);
    case BinaryOp::Mul:
      return with(wrapping_mul);
    case BinaryOp::Div:
      return division(std::move(a), std::move(b), floor_div);
    case BinaryOp::Mod:
      return division(std::move(a), std::move(b), floor_mod);
    case BinaryOp::Min:
      return with([](Int x, Int y) { return std::min(x, y); });
    case BinaryOp::Max:
      return with([](Int x, Int y) { return std::max(x, y); });
    case BinaryOp::And:
      return with([](Int x, Int y) { return x & y; });
    case BinaryOp::Or:
      return with([](Int x, Int y) { return x | y; });
    default:
      return comparison(op, std::move(a), std::move(b));
  }
}

IntegerCode integer_unary(UnaryOp op, IntegerCode a) {
  using Int = std::int64_t;
  const auto with = [&](auto f) { return composed(std::move(a), f); };
  switch (op) {
    case UnaryOp::Neg:
      return with([](Int x) { return wrapping_sub(0, x); });
    case UnaryOp::Abs:
      return with([](Int x) { return x < 0 ? wrapping_sub(0, x) : x; });
    case UnaryOp::Not:
      return with([](Int x) { return Int{1} - x; });
    default:
      break;
  }
  fail("a unary operator of integers");
}

/// From one integer type or bool to another.
IntegerCode narrowed(IntegerCode a, DType to) {
  if (to == DType::Bool)
    return composed(std::move(a), [](std::int64_t x) -> std::int64_t { return x != 0 ? 1 : 0; });
  if (to == DType::I32)
    return composed(std::move(a),
                    [](std::int64_t x) -> std::int64_t { return static_cast<std::int32_t>(x); });
  return a;
}

IntegerCode read_integer(DType dtype, Place place) {
  if (dtype == DType::I32) return read<IntegerCode, std::int32_t>(std::move(place));
  if (dtype == DType::I64) return read<IntegerCode, std::int64_t>(std::move(place));
  return read<IntegerCode, std::uint8_t>(std::move(place));
}

}  // namespace

RealCode ExprResolver::real(const Expr& e) const {
  return match(
      *e,
      [](const Real& r) -> RealCode {
        return [value = r.value](InterpretState&) { return value; };
      },
      [&](const Unary& u) -> RealCode { return real_unary(u.op, real(u.a)); },
      [&](const Binary& b) -> RealCode { return real_binary(b.op, real(b.a), real(b.b)); },
      [&](const Select& s) -> RealCode {
        return choose(integer(s.condition), real(s.yes), real(s.no));
      },
      [&](const Cast& c) -> RealCode {
        if (is_float(c.a.dtype())) return real(c.a);
        return [a = integer(c.a)](InterpretState& state) { return static_cast<double>(a(state)); };
      },
      [&](const Load& l) -> RealCode {
        return read<RealCode, float>(load_place(l.tensor, l.indices));
      },
      [](const auto&) -> RealCode { fail("an expression of reals"); });
}

IntegerCode ExprResolver::integer(const Expr& e) const {
  if (as<Binary>(e) != nullptr)
    if (std::optional<IndexCode> code = affine(e)) return *std::move(code);  // no call per operator
  return match(
      *e,
      [](const Integer& i) -> IntegerCode {
        return [value = i.value](InterpretState&) { return value; };
      },
      [&](const AxisRef& a) -> IntegerCode {
        return [slot = axis_slot(a.axis)](InterpretState& state) { return state.axes[slot]; };
      },
      [&](const Unary& u) -> IntegerCode { return integer_unary(u.op, integer(u.a)); },
      [&](const Binary& b) -> IntegerCode {
        if (is_float(b.a.dtype())) return comparison(b.op, real(b.a), real(b.b));
        return integer_binary(b.op, integer(b.a), integer(b.b));
      },
      [&](const Select& s) -> IntegerCode {
        return choose(integer(s.condition), integer(s.yes), integer(s.no));
      },
      [&](const Cast& c) -> IntegerCode {
        if (!is_float(c.a.dtype())) return narrowed(integer(c.a), c.to);
        return
            [a = real(c.a), to = c.to](InterpretState& state) { return truncated(a(state), to); };
      },
      [&](const Load& l) -> IntegerCode {
        return read_integer(l.dtype, load_place(l.tensor, l.indices));
      },
      [](const Real&) -> IntegerCode { fail("an expression of integers"); });
}

}  // namespace tessera
