#include "backend/llvm/index.h"

#include "base/check.h"

#include <algorithm>
#include <numeric>

namespace tessera::codegen {
namespace {

std::int64_t saturated(std::int64_t value) {
  return std::clamp(value, -Range::unknown, Range::unknown);
}

std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    return (a < 0) == (b < 0) ? Range::unknown : -Range::unknown;
  return saturated(product);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

Range scaled(Range r, std::int64_t factor) {
  const std::int64_t a = saturated_product(r.low, factor), b = saturated_product(r.high, factor);
  return {std::min(a, b), std::max(a, b)};
}

Range sum(Range a, Range b) { return {saturated(a.low + b.low), saturated(a.high + b.high)}; }

Range operation_range(BinaryOp op, Range a, Range b) {
  const Range any{-Range::unknown, Range::unknown};
  switch (op) {
    case BinaryOp::Min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case BinaryOp::Max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case BinaryOp::Div:
      if (b.low != b.high || b.low <= 0) return any;
      return {floor_divide(a.low, b.low), floor_divide(a.high, b.low)};
    case BinaryOp::Mul: {
      const auto corners = {saturated_product(a.low, b.low), saturated_product(a.low, b.high),
                            saturated_product(a.high, b.low), saturated_product(a.high, b.high)};
      return {std::min(corners), std::max(corners)};
    }
    case BinaryOp::Mod:
      return b.low != b.high || b.low <= 0 ? any : Range{0, b.low - 1};
    default:
      return any;
  }
}

/// a = divisor * whole + rest, where no coefficient of `rest` is divisible.
std::pair<Index, Index> divided(const Index& a, std::int64_t divisor) {
  Index whole, rest;
  whole.constant = floor_divide(a.constant, divisor);
  rest.constant = a.constant - whole.constant * divisor;
  for (const auto& [term, factor] : a.terms) {
    if (factor % divisor == 0)
      whole.terms.emplace_back(term, factor / divisor);
    else
      rest.terms.emplace_back(term, factor);
  }
  return {whole, rest};
}

}  // namespace

std::int64_t Index::coefficient(int term) const {
  for (const auto& [number, factor] : terms)
    if (number == term) return factor;
  return 0;
}

Index operator+(const Index& a, const Index& b) {
  Index out;
  out.constant = a.constant + b.constant;
  auto i = a.terms.begin(), j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
      out.terms.push_back(*i++);
    } else if (i == a.terms.end() || j->first < i->first) {
      out.terms.push_back(*j++);
    } else {
      if (i->second + j->second != 0) out.terms.emplace_back(i->first, i->second + j->second);
      ++i, ++j;
    }
  }
  return out;
}

Index operator-(const Index& a, const Index& b) { return a + b * -1; }

Index operator*(Index a, std::int64_t factor) {
  if (factor == 0) return {};
  a.constant *= factor;
  for (auto& [term, coefficient] : a.terms) coefficient *= factor;
  return a;
}

int IndexSpace::add(Term term) {
  terms_.push_back(std::move(term));
  return term_count() - 1;
}

int IndexSpace::bind(const AxisId& axis, Range range, int depth, bool varies) {
  Term term;
  term.axis = axis;
  term.range = range;
  term.depth = depth;
  term.varies = varies;
  const int number = add(std::move(term));
  axes_[axis] = Index{.constant = 0, .terms = {{number, 1}}};
  return number;
}

Range IndexSpace::range(const Index& index) const {
  Range out{saturated(index.constant), saturated(index.constant)};
  for (const auto& [number, factor] : index.terms)
    out = sum(out, scaled(term(number).range, factor));
  return out;
}

int IndexSpace::depth(const Index& index) const {
  int out = 0;
  for (const auto& [number, factor] : index.terms) out = std::max(out, term(number).depth);
  return out;
}

bool IndexSpace::varies(const Index& index) const {
  return std::any_of(index.terms.begin(), index.terms.end(),
                     [&](const auto& item) { return term(item.first).varies; });
}

Index IndexSpace::operation(BinaryOp op, Index a, Index b) {
  const auto key = std::tuple{op, a, b};
  auto found = operations_.find(key);
  if (found == operations_.end()) {
    Term term;
    term.op = op;
    term.range = operation_range(op, range(a), range(b));
    term.depth = std::max(depth(a), depth(b));
    term.varies = varies(a) || varies(b);
    term.a = std::move(a);
    term.b = std::move(b);
    found = operations_.emplace(key, add(std::move(term))).first;
  }
  return Index{.constant = 0, .terms = {{found->second, 1}}};
}

Index IndexSpace::quotient(const Index& a, std::int64_t divisor) {
  const auto [whole, rest] = divided(a, divisor);
  const Range left = range(rest);
  if (left.low >= 0 && left.high < divisor) return whole;
  // (g * x + small) / (g * d) = x / d when small stays in [0, g).
  for (const auto& [number, factor] : rest.terms) {
    const std::int64_t g = std::gcd(factor, divisor);
    if (g <= 1) continue;
    const auto [multiple, small] = divided(rest, g);
    const Range r = range(small);
    if (r.low >= 0 && r.high < g) return whole + quotient(multiple, divisor / g);
  }
  return whole + operation(BinaryOp::Div, rest, Index{.constant = divisor, .terms = {}});
}

Index IndexSpace::remainder(const Index& a, std::int64_t divisor) {
  const Index rest = divided(a, divisor).second;
  const Range left = range(rest);
  if (left.low >= 0 && left.high < divisor) return rest;
  return operation(BinaryOp::Mod, rest, Index{.constant = divisor, .terms = {}});
}

Index IndexSpace::opaque(const Expr& e) {
  Term term;
  term.opaque = e;
  term.range = {-Range::unknown, Range::unknown};
  term.depth = Term::nowhere;
  for (const AxisId& name : axes_in(e)) term.varies = term.varies || varies(axes_.at(name));
  for (const Load& load : loads_in(e)) term.varies = term.varies || privates_.contains(load.tensor);
  return Index{.constant = 0, .terms = {{add(std::move(term)), 1}}};
}

Index IndexSpace::index(const Expr& e) {
  if (const Integer* n = as<Integer>(e)) return Index{.constant = n->value, .terms = {}};
  if (const AxisRef* n = as<AxisRef>(e)) {
    const auto found = axes_.find(n->axis);
    check(found != axes_.end(), "axis " + n->axis + " in scope");
    return found->second;
  }
  const Unary* u = as<Unary>(e);
  if (u != nullptr && u->op == UnaryOp::Neg) return index(u->a) * -1;
  const Binary* n = as<Binary>(e);
  if (n == nullptr) return opaque(e);
  Index a = index(n->a), b = index(n->b);
  const bool positive = b.is_constant() && b.constant > 0;  // else it stays where its guard is
  switch (n->op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Sub:
      return a - b;
    case BinaryOp::Mul:
      if (b.is_constant()) return a * b.constant;
      if (a.is_constant()) return b * a.constant;
      return operation(n->op, std::move(a), std::move(b));
    case BinaryOp::Div:
      return positive ? quotient(a, b.constant) : opaque(e);
    case BinaryOp::Mod:
      return positive ? remainder(a, b.constant) : opaque(e);
    case BinaryOp::Min:
    case BinaryOp::Max: {
      const Range difference = range(a - b);
      const bool is_min = n->op == BinaryOp::Min;
      if (difference.high <= 0) return is_min ? a : b;
      if (difference.low >= 0) return is_min ? b : a;
      return operation(n->op, std::move(a), std::move(b));
    }
    default:
      return opaque(e);
  }
}

std::optional<bool> IndexSpace::decide(const Expr& condition) {
  if (const Integer* n = as<Integer>(condition)) return n->value != 0;
  if (const Unary* n = as<Unary>(condition); n != nullptr && n->op == UnaryOp::Not) {
    const std::optional<bool> inner = decide(n->a);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  const Binary* n = as<Binary>(condition);
  if (n == nullptr) return std::nullopt;
  if (n->op == BinaryOp::And || n->op == BinaryOp::Or) {
    const std::optional<bool> a = decide(n->a), b = decide(n->b);
    const bool absorbing = n->op == BinaryOp::Or;
    if (a == absorbing || b == absorbing) return absorbing;
    return a && b ? std::optional(!absorbing) : std::nullopt;
  }
  if (n->a.dtype() != DType::I64) return std::nullopt;
  const Range difference = range(index(n->a) - index(n->b));
  switch (n->op) {
    case BinaryOp::Less:
      if (difference.high < 0) return true;
      return difference.low >= 0 ? std::optional(false) : std::nullopt;
    case BinaryOp::LessEqual:
      if (difference.high <= 0) return true;
      return difference.low > 0 ? std::optional(false) : std::nullopt;
    case BinaryOp::Equal:
      if (difference.low == 0 && difference.high == 0) return true;
      return difference.low > 0 || difference.high < 0 ? std::optional(false) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::codegen
