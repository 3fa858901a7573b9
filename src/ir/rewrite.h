#pragma once

#include "ir/expr.h"
#include "ir/program.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera {

/// The node with `f` applied to each direct child; the same node when no child changed.
Expr map_children(const Expr& e, const std::function<Expr(const Expr&)>& f);
/// The statement with `on_stmt` applied to each direct sub-statement and `on_expr` to each direct
/// expression (extents, conditions, indices, values).
Stmt map_children(const Stmt& s, const std::function<Stmt(const Stmt&)>& on_stmt,
                  const std::function<Expr(const Expr&)>& on_expr);

/// Calls `f` on `e` and everything below it, parents first.
void visit(const Expr& e, const std::function<void(const Expr&)>& f);
/// Calls `on_stmt` on `s` and every statement below it, parents first.
void visit(const Stmt& s, const std::function<void(const Stmt&)>& on_stmt);
/// Calls `on_expr` on every expression in `s`, root expressions only.
void visit_exprs(const Stmt& s, const std::function<void(const Expr&)>& on_expr);

using Substitution = std::map<AxisId, Expr>;
Expr substitute(const Expr& e, const Substitution& values);
Stmt substitute(const Stmt& s, const Substitution& values);

/// Replaces every load of `tensor`, in `e` or in every expression of `s`.
using LoadRewrite = std::function<Expr(const Load&)>;
Expr replace_loads(const Expr& e, const TensorId& tensor, const LoadRewrite& rewrite);
Stmt replace_loads(const Stmt& s, const TensorId& tensor, const LoadRewrite& rewrite);

std::set<AxisId> axes_in(const Expr& e);
bool mentions(const Expr& e, const AxisId& axis);
/// All loads below `e` / in `s`, in order of appearance.
std::vector<Load> loads_in(const Expr& e);
std::vector<Load> loads_in(const Stmt& s);
/// Tensors that `s` stores to.
std::set<TensorId> stored_in(const Stmt& s);

/// A block without nested blocks; a block of one is that one.
Stmt block(std::vector<Stmt> stmts);

}  // namespace tessera
