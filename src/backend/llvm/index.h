#pragma once

#include "ir/expr.h"
#include "ir/rewrite.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::codegen {

/// Both ends included; saturates at `unknown`, which stands for no bound.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
  static constexpr std::int64_t unknown = std::int64_t{1} << 60;
};

/// An i64 expression as constant + sum of coefficient * term. Terms are numbers of an `IndexSpace`,
/// in ascending order, with coefficients other than zero; so equal values of one form compare
/// equal.
struct Index {
  std::int64_t constant = 0;
  std::vector<std::pair<int, std::int64_t>> terms;

  bool is_constant() const { return terms.empty(); }
  std::int64_t coefficient(int term) const;
  friend auto operator<=>(const Index&, const Index&) = default;
};

Index operator+(const Index& a, const Index& b);
Index operator-(const Index& a, const Index& b);
Index operator*(Index a, std::int64_t factor);

/// What an Index is made of: a loop variable, an operation that is not linear, or an expression
/// that reads memory.
struct Term {
  std::optional<AxisId> axis;
  std::optional<BinaryOp> op;  // with `a` and `b`
  Index a, b;
  std::optional<Expr> opaque;
  Range range;
  /// Loops around its value: 0 at the entry of a function; `nowhere` when it must be computed in
  /// place.
  int depth = 0;
  bool varies = false;  // differs between the lanes of the vector loop
  static constexpr int nowhere = 1 << 20;
};

/// Loop variables in scope, and the terms made of them. A term is never forgotten, and a loop
/// variable bound anew is a new term, so that a term means one value as long as its loops are open.
class IndexSpace {
 public:
  void bind(const AxisId& axis, Index value) { axes_[axis] = std::move(value); }
  /// Binds `axis` to a new term.
  int bind(const AxisId& axis, Range range, int depth, bool varies);
  void unbind(const AxisId& axis) { axes_.erase(axis); }
  const std::map<AxisId, Index>& axes() const { return axes_; }
  /// Says that each lane of the vector loop around has a `tensor` of its own.
  void add_private(const TensorId& tensor) { privates_.insert(tensor); }
  void remove_private(const TensorId& tensor) { privates_.erase(tensor); }

  Index index(const Expr& e);
  /// The value of a bool expression, when ranges decide it.
  std::optional<bool> decide(const Expr& condition);

  const Term& term(int number) const { return terms_[static_cast<std::size_t>(number)]; }
  int term_count() const { return static_cast<int>(terms_.size()); }
  Range range(const Index& index) const;
  int depth(const Index& index) const;
  bool varies(const Index& index) const;

 private:
  int add(Term term);
  Index operation(BinaryOp op, Index a, Index b);
  Index quotient(const Index& a, std::int64_t divisor);
  Index remainder(const Index& a, std::int64_t divisor);
  Index opaque(const Expr& e);

  std::deque<Term> terms_;  // references to terms stay valid while others are added
  std::map<std::tuple<BinaryOp, Index, Index>, int> operations_;
  std::map<AxisId, Index> axes_;
  std::set<TensorId> privates_;
};

}  // namespace tessera::codegen
