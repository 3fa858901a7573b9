#include "ops/elementwise.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/nodes/operands.h"
#include "ops/shape.h"

#include <limits>

namespace tessera::ops {
namespace {

Expr negation(const Expr& e) { return unary(UnaryOp::Not, e); }
Expr equal(const Expr& a, const Expr& b) { return binary(BinaryOp::Equal, a, b); }
Expr differ(const Expr& a, const Expr& b) { return negation(equal(a, b)); }
Expr both(const Expr& a, const Expr& b) { return a && b; }
Expr either(const Expr& a, const Expr& b) { return binary(BinaryOp::Or, a, b); }
Expr less(const Expr& a, const Expr& b) { return a < b; }
Expr less_equal(const Expr& a, const Expr& b) { return a <= b; }
Expr greater(const Expr& a, const Expr& b) { return b < a; }
Expr greater_equal(const Expr& a, const Expr& b) { return b <= a; }

template <Expr (*F)(const Expr&, const Expr&)>
void compare(Definition& d) {
  d.output(of_both_numbers(d, [&](const Expr& a, const Expr& b) {
    return F(in_order(a, d.type(0).element), in_order(b, d.type(0).element));
  }));
}

void equal_node(Definition& d) { d.output(of_both(d, equal)); }

template <Expr (*F)(const Expr&, const Expr&)>
void logical(Definition& d) {
  if (d.type(0).element != ElementType::Bool)
    return d.refuse(undefined_for(dtype_of(d.type(0).element)));
  d.output(of_both(d, F));
}

void not_node(Definition& d) { d.output(unary(d.b, UnaryOp::Not, d.input(0), d.node().op)); }

void is_nan(Definition& d) {
  d.output(map_float(d.b, d.input(0), [](const Expr& e) { return differ(e, e); }, d.node().op));
}

void is_infinite(Definition& d) {
  const auto is = [&](const Expr& e, std::string_view attribute, double sign) {
    return d.integer(attribute, 1) == 0
               ? boolean(false)
               : equal(e, real(sign * std::numeric_limits<double>::infinity()));
  };
  d.output(map_float(
      d.b, d.input(0),
      [&](const Expr& e) {
        return either(is(e, "detect_positive", 1), is(e, "detect_negative", -1));
      },
      d.node().op));
}

void where_node(Definition& d) {
  d.output(where(d.b, d.input(0), d.input(1), d.input(2), d.node().op), d.type(1).element);
}

constexpr Op list[] = {
    {"", "And", logical<both>, 2},
    {"", "Equal", equal_node, 2},
    {"", "Greater", compare<greater>, 2},
    {"", "GreaterOrEqual", compare<greater_equal>, 2},
    {"", "IsInf", is_infinite},
    {"", "IsNaN", is_nan},
    {"", "Less", compare<less>, 2},
    {"", "LessOrEqual", compare<less_equal>, 2},
    {"", "Not", not_node},
    {"", "Or", logical<either>, 2},
    {"", "Where", where_node, 3},
    {"", "Xor", logical<differ>, 2},
};

}  // namespace

std::span<const Op> logic_nodes() { return list; }

}  // namespace tessera::ops
