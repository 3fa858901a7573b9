#pragma once

#include "tensor/dtype.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

/// Names an axis (a loop variable). In a Computation axes are local to their stage (`k`); in a
/// Program each loop carries `stage.axis` and, after splits, `stage.axis.0`, `stage.axis.1`.
using AxisId = std::string;
using TensorId = std::string;

/// Meaning of the operators. Index arithmetic is i64; `Div` and `Mod` of integers round towards
/// minus infinity and need a positive divisor. Comparisons and logic give bool. Floating-point
/// operators are those of IEEE 754, but `Rsqrt` is 1/sqrt(x), `Sigmoid` is 1/(1+exp(-x)) and
/// `Round` takes halves to even; a backend may differ from them by a few units in the last place
/// and may contract a product and a sum into one fused operation. `Select` evaluates only the
/// chosen side, so that a guarded load is never out of bounds. `And` and `Or` evaluate both sides.
enum class UnaryOp : std::uint8_t {
  Neg,
  Abs,
  Not,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Erf,
  Tanh,
  Sigmoid,
  Sin,
  Cos,
  Floor,
  Ceil,
  Round
};
enum class BinaryOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Min,
  Max,
  Pow,
  Less,
  LessEqual,
  Equal,
  And,
  Or
};

struct ExprNode;

/// An immutable expression; copying it shares the node. Equality is structural.
class Expr {
 public:
  Expr(std::int64_t index);  // NOLINT: an i64 constant, implicit so that `i * 8 + 3` reads
  Expr(int index);           // NOLINT
  explicit Expr(ExprNode node);

  const ExprNode& operator*() const { return *node_; }
  const ExprNode* operator->() const { return node_.get(); }
  DType dtype() const;

  friend bool operator==(const Expr& a, const Expr& b);

 private:
  std::shared_ptr<const ExprNode> node_;
};

struct Integer {  // also Bool: 0 or 1
  DType dtype = DType::I64;
  std::int64_t value = 0;
  friend bool operator==(const Integer&, const Integer&) = default;
};
struct Real {  // f32
  double value = 0;
  bool operator==(const Real& other) const;  // of bits, but there is one nan, as in text
};
struct AxisRef {  // the value of a loop variable, i64
  AxisId axis;
  friend bool operator==(const AxisRef&, const AxisRef&) = default;
};
struct Unary {
  UnaryOp op;
  Expr a;
  friend bool operator==(const Unary&, const Unary&) = default;
};
struct Binary {
  BinaryOp op;
  Expr a, b;
  friend bool operator==(const Binary&, const Binary&) = default;
};
struct Select {
  Expr condition, yes, no;
  friend bool operator==(const Select&, const Select&) = default;
};
struct Cast {  // float to integer truncates
  DType to;
  Expr a;
  friend bool operator==(const Cast&, const Cast&) = default;
};
struct Load {
  TensorId tensor;
  DType dtype = DType::F32;
  std::vector<Expr> indices;
  friend bool operator==(const Load&, const Load&) = default;
};

struct ExprNode : std::variant<Integer, Real, AxisRef, Unary, Binary, Select, Cast, Load> {
  using variant::variant;
};

/// `std::visit` with one callable per case; a forgotten case does not compile.
template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

template <typename Node, typename... Cases>
decltype(auto) match(const Node& node, Cases&&... cases) {
  return std::visit(Overloaded{std::forward<Cases>(cases)...}, node);
}

/// The node as a `T`, or null.
template <typename T>
const T* as(const Expr& e) {
  return std::get_if<T>(&*e);
}

Expr real(double value);
Expr boolean(bool value);
Expr axis(AxisId name);
Expr load(TensorId tensor, DType dtype, std::vector<Expr> indices);
Expr unary(UnaryOp op, Expr a);
/// Operands must have one dtype (a shift of index types is never implied).
Expr binary(BinaryOp op, Expr a, Expr b);
Expr select(Expr condition, Expr yes, Expr no);
Expr cast(DType to, Expr a);

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator%(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);  // NOLINT: builds a node, evaluates nothing

}  // namespace tessera
