#include "ir/expr.h"

#include "base/check.h"

#include <bit>
#include <cmath>

namespace tessera {

Expr::Expr(std::int64_t index) : Expr(ExprNode{Integer{.dtype = DType::I64, .value = index}}) {}
Expr::Expr(int index) : Expr(static_cast<std::int64_t>(index)) {}
Expr::Expr(ExprNode node) : node_(std::make_shared<const ExprNode>(std::move(node))) {}

bool operator==(const Expr& a, const Expr& b) {
  if (a.node_ == b.node_) return true;
  using Variant = std::variant<Integer, Real, AxisRef, Unary, Binary, Select, Cast, Load>;
  return static_cast<const Variant&>(*a.node_) == static_cast<const Variant&>(*b.node_);
}

bool Real::operator==(const Real& other) const {
  if (std::isnan(value)) return std::isnan(other.value);
  return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(other.value);
}

DType Expr::dtype() const {
  return match(
      *node_, [](const Integer& e) { return e.dtype; }, [](const Real&) { return DType::F32; },
      [](const AxisRef&) { return DType::I64; }, [](const Unary& e) { return e.a.dtype(); },
      [](const Binary& e) {
        switch (e.op) {
          case BinaryOp::Less:
          case BinaryOp::LessEqual:
          case BinaryOp::Equal:
            return DType::Bool;
          default:
            return e.a.dtype();
        }
      },
      [](const Select& e) { return e.yes.dtype(); }, [](const Cast& e) { return e.to; },
      [](const Load& e) { return e.dtype; });
}

Expr real(double value) { return Expr(ExprNode{Real{value}}); }
Expr boolean(bool value) { return Expr(ExprNode{Integer{DType::Bool, value ? 1 : 0}}); }
Expr axis(AxisId name) { return Expr(ExprNode{AxisRef{std::move(name)}}); }

Expr load(TensorId tensor, DType dtype, std::vector<Expr> indices) {
  return Expr(ExprNode{Load{std::move(tensor), dtype, std::move(indices)}});
}

Expr unary(UnaryOp op, Expr a) { return Expr(ExprNode{Unary{op, std::move(a)}}); }

Expr binary(BinaryOp op, Expr a, Expr b) {
  check(a.dtype() == b.dtype(), "operands of one dtype");
  return Expr(ExprNode{Binary{op, std::move(a), std::move(b)}});
}

Expr select(Expr condition, Expr yes, Expr no) {
  check(condition.dtype() == DType::Bool, "a bool condition");
  check(yes.dtype() == no.dtype(), "sides of one dtype");
  return Expr(ExprNode{Select{std::move(condition), std::move(yes), std::move(no)}});
}

Expr cast(DType to, Expr a) {
  if (a.dtype() == to) return a;
  return Expr(ExprNode{Cast{to, std::move(a)}});
}

Expr operator+(Expr a, Expr b) { return binary(BinaryOp::Add, std::move(a), std::move(b)); }
Expr operator-(Expr a, Expr b) { return binary(BinaryOp::Sub, std::move(a), std::move(b)); }
Expr operator*(Expr a, Expr b) { return binary(BinaryOp::Mul, std::move(a), std::move(b)); }
Expr operator/(Expr a, Expr b) { return binary(BinaryOp::Div, std::move(a), std::move(b)); }
Expr operator%(Expr a, Expr b) { return binary(BinaryOp::Mod, std::move(a), std::move(b)); }
Expr min(Expr a, Expr b) { return binary(BinaryOp::Min, std::move(a), std::move(b)); }
Expr max(Expr a, Expr b) { return binary(BinaryOp::Max, std::move(a), std::move(b)); }
Expr operator<(Expr a, Expr b) { return binary(BinaryOp::Less, std::move(a), std::move(b)); }
Expr operator<=(Expr a, Expr b) { return binary(BinaryOp::LessEqual, std::move(a), std::move(b)); }
Expr operator&&(Expr a, Expr b) { return binary(BinaryOp::And, std::move(a), std::move(b)); }

}  // namespace tessera
