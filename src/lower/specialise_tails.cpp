#include "lower/specialise_tails.h"

#include "ir/bounds.h"
#include "ir/rewrite.h"
#include "ir/simplify.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tessera {
namespace {

/// `min(full, rest)` where every variable term of `rest` is a multiple of `full`: either `full` or
/// `last`.
struct Tail {
  Expr extent;  // the min itself
  Expr rest;
  std::int64_t full = 0;
  std::int64_t last = 0;
};

std::optional<Tail> tail_of(const Expr& e) {
  const Binary* n = as<Binary>(e);
  if (n == nullptr || n->op != BinaryOp::Min) return std::nullopt;
  const bool is_first = constant_value(n->a).has_value();
  const auto full = constant_value(is_first ? n->a : n->b);
  if (!full) return std::nullopt;
  const Expr rest = is_first ? n->b : n->a;
  const Affine affine = to_affine(rest);
  if (affine.is_constant()) return std::nullopt;
  for (const auto& [atom, factor] : affine.terms)
    if (factor % *full != 0) return std::nullopt;
  std::int64_t last = affine.constant % *full;
  if (last < 0) last += *full;
  return Tail{e, rest, *full, last};
}

using Names = std::set<TensorId>;

Names register_tensors(const Stmt& root) {
  Names names;
  visit(root, [&](const Stmt& s) {
    if (const Allocate* n = as<Allocate>(s); n != nullptr && n->placed.memory == Memory::Register)
      names.insert(n->placed.tensor.name);
  });
  return names;
}

bool touches(const Stmt& s, const Names& tensors) {
  const auto is_named = [&](const TensorId& id) { return tensors.contains(id); };
  const Names stored = stored_in(s);
  const std::vector<Load> loads = loads_in(s);
  return std::any_of(stored.begin(), stored.end(), is_named) ||
         std::any_of(loads.begin(), loads.end(), [&](const Load& l) { return is_named(l.tensor); });
}

/// A vector loop, or an unrolled one that moves registers; others are cheaper with a test per
/// iteration than with a second body.
bool needs_constant_extent(const Loop& loop, const Names& registers) {
  return loop.kind == LoopKind::Vector ||
         (loop.kind == LoopKind::Unroll && touches(loop.body, registers));
}

/// A tail in the extent of a loop of `s` that speaks only of axes outside `s`, so that one test
/// before `s` settles it.
std::optional<Tail> first_tail(const Stmt& s, const Names& registers, std::set<AxisId> inner = {}) {
  std::optional<Tail> found;
  if (const Loop* n = as<Loop>(s)) {
    if (needs_constant_extent(*n, registers))
      visit(n->extent, [&](const Expr& e) {
        const auto tail = tail_of(e);
        if (!tail || found) return;
        for (const AxisId& used : axes_in(tail->rest))
          if (inner.contains(used)) return;
        found = tail;
      });
    inner.insert(n->axis);
  }
  if (found) return found;
  map_children(
      s,
      [&](const Stmt& child) {
        if (!found) found = first_tail(child, registers, inner);
        return child;
      },
      [](const Expr& e) { return e; });
  return found;
}

Expr settled(const Expr& e, const Tail& tail, std::int64_t value) {
  if (e == tail.extent) return value;
  return map_children(e, [&](const Expr& child) { return settled(child, tail, value); });
}

Stmt settled(const Stmt& s, const Tail& tail, std::int64_t value) {
  return map_children(
      s, [&](const Stmt& child) { return settled(child, tail, value); },
      [&](const Expr& e) { return settled(e, tail, value); });
}

/// Handles statements from the outside in, so that the test for a tail stands just inside the loop
/// that settles it and covers everything there that has the same extent: initialisation, reduction
/// and epilogue.
Stmt specialised(const Stmt& s, const Names& registers, LoopScope scope) {
  if (const auto tail = first_tail(s, registers)) {
    const Stmt full = specialised(simplify(settled(s, *tail, tail->full), scope), registers, scope);
    if (tail->last == 0) return full;
    const Stmt last = specialised(simplify(settled(s, *tail, tail->last), scope), registers, scope);
    return Stmt(StmtNode{If{Expr(tail->full) <= tail->rest, full, last}});
  }
  if (const Loop* n = as<Loop>(s)) {
    Loop out = *n;
    scope.enter(n->axis, n->extent);
    out.body = specialised(n->body, registers, std::move(scope));
    return Stmt(StmtNode{std::move(out)});
  }
  return map_children(
      s, [&](const Stmt& child) { return specialised(child, registers, scope); },
      [](const Expr& e) { return e; });
}

}  // namespace

Program specialise_tails(const Program& program) {
  Program out = program;
  out.body = simplify(specialised(program.body, register_tensors(program.body), {}));
  return out;
}

}  // namespace tessera
