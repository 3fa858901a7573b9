#include "ir/simplify.h"

#include "base/check.h"
#include "ir/arithmetic.h"
#include "ir/rewrite.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {
namespace {

bool is_index(const Expr& e) { return e.dtype() == DType::I64; }

bool is_bool(const Expr& e, bool value) {
  const Integer* n = as<Integer>(e);
  return n != nullptr && n->dtype == DType::Bool && n->value == (value ? 1 : 0);
}

/// Parts an affine form into terms that `divisor` divides and the rest.
std::pair<Affine, Affine> divisible_parts(const Affine& e, std::int64_t divisor) {
  Affine whole, rest;
  for (const auto& [atom, factor] : e.terms)
    (factor % divisor == 0 ? whole : rest).add(atom, factor);
  rest.constant = floor_mod(e.constant, divisor);
  whole.constant = e.constant - rest.constant;
  return {whole, rest};
}

Affine divided(Affine e, std::int64_t divisor) {
  e.constant /= divisor;
  for (auto& [atom, factor] : e.terms) factor /= divisor;
  return e;
}

bool lies_within(const Expr& e, std::int64_t low, std::int64_t high, const LoopScope& scope) {
  const auto range = bounds(e, scope);
  return range && range->min >= low && range->max <= high;
}

/// The largest g dividing `divisor` such that the terms of `rest` not divisible by g stay in [0,
/// g): then rest / divisor = (rest / g) / (divisor / g).
std::int64_t common_block(const Affine& rest, std::int64_t divisor, const LoopScope& scope) {
  for (const auto& [atom, factor] : rest.terms) {
    const std::int64_t g = std::gcd(factor, divisor);
    if (g <= 1) continue;
    const auto [multiples, small] = divisible_parts(rest, g);
    if (!multiples.terms.empty() && lies_within(to_expr(small), 0, g - 1, scope)) return g;
  }
  return 1;
}

Expr divide(const Expr& e, std::int64_t divisor, const LoopScope& scope) {
  if (divisor == 1) return e;
  if (const auto value = constant_value(e)) return floor_div(*value, divisor);
  if (const Binary* inner = as<Binary>(e); inner != nullptr && inner->op == BinaryOp::Div) {
    const auto first = constant_value(inner->b);
    std::int64_t both = 0;
    if (first && *first > 0 && !__builtin_mul_overflow(*first, divisor, &both))
      return divide(inner->a, both, scope);
  }
  const auto [whole, rest] = divisible_parts(to_affine(e), divisor);
  const Affine quotient = divided(whole, divisor);
  if (lies_within(to_expr(rest), 0, divisor - 1, scope)) return to_expr(quotient);
  if (!quotient.is_constant() || quotient.constant != 0)  // the rest may be a quotient itself
    return to_expr(quotient + to_affine(divide(to_expr(rest), divisor, scope)));
  if (const std::int64_t g = common_block(rest, divisor, scope); g > 1)
    return divide(to_expr(divided(divisible_parts(rest, g).first, g)), divisor / g, scope);
  return binary(BinaryOp::Div, to_expr(rest), divisor);
}

Expr modulo(const Expr& e, std::int64_t divisor, const LoopScope& scope) {
  if (divisor == 1) return 0;
  if (const auto value = constant_value(e)) return floor_mod(*value, divisor);
  const auto [whole, rest] = divisible_parts(to_affine(e), divisor);
  if (lies_within(to_expr(rest), 0, divisor - 1, scope)) return to_expr(rest);
  if (const std::int64_t g = common_block(rest, divisor, scope); g > 1) {
    const auto [multiples, small] = divisible_parts(rest, g);
    const Expr inner = modulo(to_expr(divided(multiples, g)), divisor / g, scope);
    return to_expr(to_affine(inner) * g + small);
  }
  return binary(BinaryOp::Mod, to_expr(rest), divisor);
}

/// `x / c * c + x % c` is x, whatever its sign: quotients round towards minus infinity.
Expr joined(const Affine& e) {
  for (const auto& [atom, factor] : e.terms) {
    const Binary* n = as<Binary>(atom);
    const auto divisor =
        n != nullptr && n->op == BinaryOp::Mod ? constant_value(n->b) : std::nullopt;
    if (!divisor || *divisor <= 0) continue;
    const std::pair whole(divide(n->a, *divisor, {}), wrapping_mul(factor, *divisor));
    const auto quotient = std::find(e.terms.begin(), e.terms.end(), whole);
    if (quotient == e.terms.end()) continue;
    Affine out{.constant = e.constant, .terms = {}};
    for (const auto& term : e.terms) {
      if (term == *quotient)
        out = out + to_affine(n->a) * factor;
      else if (!(term.first == atom))
        out.add(term.first, term.second);
    }
    return joined(out);
  }
  return to_expr(e);
}

/// Min or max of two index expressions, dropped to one side when their difference has a sign.
Expr extremum(const Binary& n, const LoopScope& scope) {
  const auto difference = bounds(n.a - n.b, scope);
  const bool is_min = n.op == BinaryOp::Min;
  if (difference && difference->max <= 0) return is_min ? n.a : n.b;
  if (difference && difference->min >= 0) return is_min ? n.b : n.a;
  return Expr(ExprNode{n});
}

Expr comparison(const Binary& n, const LoopScope& scope) {
  const auto difference = bounds(n.a - n.b, scope);  // a - b
  const Expr same(ExprNode{n});
  if (!difference) return same;
  switch (n.op) {
    case BinaryOp::Less:
      if (difference->max < 0) return boolean(true);
      return difference->min >= 0 ? boolean(false) : same;
    case BinaryOp::LessEqual:
      if (difference->max <= 0) return boolean(true);
      return difference->min > 0 ? boolean(false) : same;
    default:
      if (difference->min == 0 && difference->max == 0) return boolean(true);
      return difference->min > 0 || difference->max < 0 ? boolean(false) : same;
  }
}

Expr index_binary(const Binary& n, const LoopScope& scope) {
  const auto divisor = constant_value(n.b);
  switch (n.op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul:
      return joined(to_affine(Expr(ExprNode{n})));
    case BinaryOp::Div:
      return divisor && *divisor > 0 ? divide(n.a, *divisor, scope) : Expr(ExprNode{n});
    case BinaryOp::Mod:
      return divisor && *divisor > 0 ? modulo(n.a, *divisor, scope) : Expr(ExprNode{n});
    case BinaryOp::Min:
    case BinaryOp::Max:
      return extremum(n, scope);
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Equal:
      return comparison(n, scope);
    default:
      return Expr(ExprNode{n});
  }
}

Expr logic(const Binary& n) {
  const bool is_and = n.op == BinaryOp::And;
  if (is_bool(n.a, is_and)) return n.b;
  if (is_bool(n.b, is_and) || is_bool(n.a, !is_and)) return n.a;
  if (is_bool(n.b, !is_and)) return n.b;
  return Expr(ExprNode{n});
}

/// Only rewrites that keep every value, nan and signed zero included.
Expr float_binary(const Binary& n) {
  const Real* a = as<Real>(n.a);
  const Real* b = as<Real>(n.b);
  if (n.op == BinaryOp::Mul && a != nullptr && a->value == 1.0) return n.b;
  if (n.op == BinaryOp::Mul && b != nullptr && b->value == 1.0) return n.a;
  if (n.op == BinaryOp::Div && b != nullptr && b->value == 1.0) return n.a;
  if (n.op == BinaryOp::Sub && b != nullptr && b->value == 0.0 && !std::signbit(b->value))
    return n.a;
  return Expr(ExprNode{n});
}

}  // namespace

Expr simplify(const Expr& e, const LoopScope& scope) {
  const Expr inner = map_children(e, [&](const Expr& child) { return simplify(child, scope); });
  if (const Binary* n = as<Binary>(inner)) {
    if (n->op == BinaryOp::And || n->op == BinaryOp::Or) return logic(*n);
    if (is_index(n->a)) return index_binary(*n, scope);
    if (is_float(n->a.dtype())) return float_binary(*n);
  }
  if (const Unary* n = as<Unary>(inner)) {
    if (n->op == UnaryOp::Neg && is_index(inner)) return joined(to_affine(inner));
    if (n->op == UnaryOp::Not && (is_bool(n->a, true) || is_bool(n->a, false)))
      return boolean(is_bool(n->a, false));
  }
  if (const Select* n = as<Select>(inner)) {
    if (is_bool(n->condition, true)) return n->yes;
    if (is_bool(n->condition, false)) return n->no;
  }
  return inner;
}

Stmt simplify(const Stmt& s, LoopScope scope) {
  const auto on_expr = [&](const Expr& e) { return simplify(e, scope); };
  if (const Loop* n = as<Loop>(s)) {
    Loop out = *n;
    out.extent = on_expr(n->extent);
    scope.enter(n->axis, out.extent);
    out.body = simplify(n->body, std::move(scope));
    const Block* body = as<Block>(out.body);
    if (body != nullptr && body->stmts.empty()) return out.body;
    const bool is_same = &*out.extent == &*n->extent && out.body.is_same_node(n->body);
    return is_same ? s : Stmt(StmtNode{std::move(out)});
  }
  const Stmt inner =
      map_children(s, [&](const Stmt& child) { return simplify(child, scope); }, on_expr);
  if (const Block* n = as<Block>(inner)) return block(n->stmts);
  if (const If* n = as<If>(inner)) {
    if (is_bool(n->condition, true)) return n->yes;
    if (is_bool(n->condition, false)) return n->no ? *n->no : block({});
  }
  return inner;
}

}  // namespace tessera
