#include "ir/bounds.h"

#include "base/check.h"
#include "ir/arithmetic.h"

#include <algorithm>

namespace tessera {

void Affine::add(const Expr& atom, std::int64_t coefficient) {
  if (coefficient == 0) return;
  for (auto term = terms.begin(); term != terms.end(); ++term) {
    if (!(term->first == atom)) continue;
    term->second = wrapping_add(term->second, coefficient);
    if (term->second == 0) terms.erase(term);
    return;
  }
  terms.emplace_back(atom, coefficient);
}

std::int64_t Affine::coefficient(const AxisId& name) const {
  for (const auto& [atom, factor] : terms)
    if (const AxisRef* ref = as<AxisRef>(atom); ref != nullptr && ref->axis == name) return factor;
  return 0;
}

Affine operator+(Affine a, const Affine& b) {
  a.constant = wrapping_add(a.constant, b.constant);
  for (const auto& [atom, factor] : b.terms) a.add(atom, factor);
  return a;
}

Affine operator*(Affine a, std::int64_t factor) {
  if (factor == 0) return {};
  a.constant = wrapping_mul(a.constant, factor);
  for (auto& [atom, coefficient] : a.terms) coefficient = wrapping_mul(coefficient, factor);
  return a;
}

namespace {

/// Whether adding two such numbers stays within 64 bits.
bool is_addable(std::int64_t value) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  return -limit <= value && value < limit;
}

/// `a + factor * b`, or nothing when that has numbers too large to go on with.
std::optional<Affine> exact_sum(Affine a, const Affine& b, std::int64_t factor) {
  const auto is_exact = [](const Affine& e) {
    return is_addable(e.constant) &&
           std::all_of(e.terms.begin(), e.terms.end(),
                       [](const auto& term) { return is_addable(term.second); });
  };
  std::int64_t scaled = 0;
  for (const auto& [atom, coefficient] : b.terms)
    if (__builtin_mul_overflow(coefficient, factor, &scaled)) return std::nullopt;
  if (__builtin_mul_overflow(b.constant, factor, &scaled)) return std::nullopt;
  const Affine other = b * factor;
  if (!is_exact(a) || !is_exact(other)) return std::nullopt;
  a = a + other;
  if (!is_exact(a)) return std::nullopt;
  return a;
}

/// The linear form of an operator that has one.
std::optional<Affine> linear_form(const Expr& e) {
  if (const Unary* n = as<Unary>(e); n != nullptr && n->op == UnaryOp::Neg)
    return exact_sum({}, to_affine(n->a), -1);
  const Binary* n = as<Binary>(e);
  if (n == nullptr) return std::nullopt;
  if (n->op == BinaryOp::Add) return exact_sum(to_affine(n->a), to_affine(n->b), 1);
  if (n->op == BinaryOp::Sub) return exact_sum(to_affine(n->a), to_affine(n->b), -1);
  if (n->op != BinaryOp::Mul) return std::nullopt;
  const Affine a = to_affine(n->a), b = to_affine(n->b);
  if (b.is_constant()) return exact_sum({}, a, b.constant);
  if (a.is_constant()) return exact_sum({}, b, a.constant);
  return std::nullopt;
}

}  // namespace

Affine to_affine(const Expr& e) {
  if (const Integer* n = as<Integer>(e)) return {.constant = n->value, .terms = {}};
  if (std::optional<Affine> linear = linear_form(e)) return *std::move(linear);
  Affine atom;
  atom.add(e, 1);
  return atom;
}

Expr to_expr(const Affine& affine) {
  std::int64_t constant = affine.constant;
  std::optional<Expr> sum;
  if (constant > 0 && !affine.terms.empty() && affine.terms.front().second < 0)
    sum = std::exchange(constant, 0);  // `10 - i * 4`
  for (const auto& [atom, factor] : affine.terms) {
    if (factor < 0 && sum) {
      sum = *sum - (factor == -1 ? atom : atom * wrapping_sub(0, factor));
      continue;
    }
    const Expr term = factor == 1 ? atom : atom * factor;
    sum = sum ? *sum + term : term;
  }
  if (!sum) return constant;
  if (constant > 0) return *sum + constant;
  if (constant < 0) return *sum - wrapping_sub(0, constant);
  return *sum;
}

std::optional<std::int64_t> constant_value(const Expr& e) {
  if (const Integer* n = as<Integer>(e)) return n->value;
  return std::nullopt;
}

namespace {

/// Upper bounds of an extent, each valid by itself.
std::vector<Expr> alternatives(const Expr& extent) {
  const Binary* n = as<Binary>(extent);
  if (n == nullptr || n->op != BinaryOp::Min) return {extent};
  std::vector<Expr> all = alternatives(n->a);
  for (Expr& e : alternatives(n->b)) all.push_back(std::move(e));
  return all;
}

/// Answers for one scope, remembering those about atoms: the extents of nested splits speak of each
/// other, and in how many ways one is reached doubles with every split.
class Bounds {
 public:
  explicit Bounds(const LoopScope& scope) : scope_(scope) {}

  std::optional<Interval> of(const Expr& e) {
    const Affine affine = to_affine(e);
    if (affine.is_constant()) return Interval{affine.constant, affine.constant};
    const auto max = largest(affine, scope_.loops().size());
    if (!max) return std::nullopt;
    const auto opposite = exact_sum({}, affine, -1);
    if (!opposite) return std::nullopt;
    const auto negated = largest(*opposite, scope_.loops().size());
    if (!negated) return std::nullopt;
    return Interval{-*negated, *max};
  }

 private:
  std::optional<Interval> of_atom(const Expr& atom) {
    for (const auto& [known, interval] : atoms_)
      if (known == atom) return interval;
    return atoms_.emplace_back(atom, computed(atom)).second;
  }
  std::optional<Interval> computed(const Expr& atom);
  std::optional<std::int64_t> largest(Affine e, std::size_t depth);

  const LoopScope& scope_;
  std::vector<std::pair<Expr, std::optional<Interval>>> atoms_;
};

/// The values of one atom that is no axis of the scope.
std::optional<Interval> Bounds::computed(const Expr& atom) {
  const Binary* n = as<Binary>(atom);
  if (n == nullptr) return std::nullopt;
  const auto a = of(n->a), b = of(n->b);
  const std::optional<std::int64_t> divisor = constant_value(n->b);
  switch (n->op) {
    case BinaryOp::Div:
      if (!a || !divisor || *divisor <= 0) return std::nullopt;
      return Interval{floor_div(a->min, *divisor), floor_div(a->max, *divisor)};
    case BinaryOp::Mod:
      if (!divisor || *divisor <= 0) return std::nullopt;
      if (a && floor_div(a->min, *divisor) == floor_div(a->max, *divisor)) {
        const std::int64_t base = floor_div(a->min, *divisor) * *divisor;
        return Interval{a->min - base, a->max - base};
      }
      return Interval{0, *divisor - 1};
    case BinaryOp::Min:
      if (a && b) return Interval{std::min(a->min, b->min), std::min(a->max, b->max)};
      return std::nullopt;
    case BinaryOp::Max:
      if (a && b) return Interval{std::max(a->min, b->min), std::max(a->max, b->max)};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Removes axes from the innermost loop outwards: an axis with a positive coefficient is at most
/// its extent minus one, where the extent may itself speak of outer axes and so cancel their terms.
std::optional<std::int64_t> Bounds::largest(Affine e, std::size_t depth) {
  // A minimum counts as either side, whichever bounds the whole better; so does a maximum that is
  // subtracted.
  for (const auto& [atom, factor] : e.terms) {
    const Binary* n = as<Binary>(atom);
    if (n == nullptr || n->op != (factor > 0 ? BinaryOp::Min : BinaryOp::Max)) continue;
    std::optional<std::int64_t> best;
    for (const Expr& side : {n->a, n->b}) {
      std::optional<Affine> other = exact_sum(e, to_affine(side), factor);
      if (!other) continue;
      other->add(atom, -factor);
      const auto value = largest(*std::move(other), depth);
      if (value && (!best || *value < *best)) best = value;
    }
    return best;
  }
  if (depth == 0) {
    std::optional<Affine> sum = Affine{.constant = e.constant, .terms = {}};
    for (const auto& [atom, factor] : e.terms) {
      const auto range = of_atom(atom);
      if (!range) return std::nullopt;
      sum =
          exact_sum(*sum, {.constant = factor > 0 ? range->max : range->min, .terms = {}}, factor);
      if (!sum) return std::nullopt;
    }
    return sum->constant;
  }
  const auto& [name, extent] = scope_.loops()[depth - 1];
  const std::int64_t factor = e.coefficient(name);
  if (factor == 0) return largest(std::move(e), depth - 1);
  e.add(axis(name), -factor);
  if (factor < 0) return largest(std::move(e), depth - 1);
  std::optional<std::int64_t> best;
  for (const Expr& bound : alternatives(extent)) {
    const auto last = exact_sum(to_affine(bound), {.constant = 1, .terms = {}}, -1);
    const auto sum = last ? exact_sum(e, *last, factor) : std::nullopt;
    const auto value = sum ? largest(*sum, depth - 1) : std::nullopt;
    if (value && (!best || *value < *best)) best = value;
  }
  return best;
}

}  // namespace

std::optional<Interval> bounds(const Expr& e, const LoopScope& scope) {
  return Bounds(scope).of(e);
}

std::int64_t max_extent(const Expr& extent, const LoopScope& scope) {
  const auto range = bounds(extent, scope);
  check(range.has_value(), "a bounded extent");
  return range->max;
}

}  // namespace tessera
