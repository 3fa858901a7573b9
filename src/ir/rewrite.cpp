#include "ir/rewrite.h"

namespace tessera {

namespace {

/// `f` over a list; tells whether anything changed.
template <typename T, typename F>
std::pair<std::vector<T>, bool> mapped(const std::vector<T>& items, const F& f) {
  std::vector<T> out;
  out.reserve(items.size());
  bool changed = false;
  for (const T& item : items) {
    out.push_back(f(item));
    changed = changed || &*out.back() != &*item;
  }
  return {std::move(out), changed};
}

bool same(const Expr& a, const Expr& b) { return &*a == &*b; }
bool same(const Stmt& a, const Stmt& b) { return a.is_same_node(b); }

}  // namespace

Expr map_children(const Expr& e, const std::function<Expr(const Expr&)>& f) {
  return match(
      *e, [&](const Integer&) { return e; }, [&](const Real&) { return e; },
      [&](const AxisRef&) { return e; },
      [&](const Unary& n) {
        Expr a = f(n.a);
        return same(a, n.a) ? e : Expr(ExprNode{Unary{n.op, std::move(a)}});
      },
      [&](const Binary& n) {
        Expr a = f(n.a), b = f(n.b);
        return same(a, n.a) && same(b, n.b)
                   ? e
                   : Expr(ExprNode{Binary{n.op, std::move(a), std::move(b)}});
      },
      [&](const Select& n) {
        Expr c = f(n.condition), y = f(n.yes), o = f(n.no);
        return same(c, n.condition) && same(y, n.yes) && same(o, n.no)
                   ? e
                   : Expr(ExprNode{Select{std::move(c), std::move(y), std::move(o)}});
      },
      [&](const Cast& n) {
        Expr a = f(n.a);
        return same(a, n.a) ? e : Expr(ExprNode{Cast{n.to, std::move(a)}});
      },
      [&](const Load& n) {
        auto [indices, changed] = mapped(n.indices, f);
        return changed ? Expr(ExprNode{Load{n.tensor, n.dtype, std::move(indices)}}) : e;
      });
}

Stmt map_children(const Stmt& s, const std::function<Stmt(const Stmt&)>& on_stmt,
                  const std::function<Expr(const Expr&)>& on_expr) {
  return match(
      *s,
      [&](const Loop& n) {
        Loop out = n;
        out.extent = on_expr(n.extent);
        out.body = on_stmt(n.body);
        return same(out.extent, n.extent) && same(out.body, n.body)
                   ? s
                   : Stmt(StmtNode{std::move(out)});
      },
      [&](const Block& n) {
        auto [stmts, changed] = mapped(n.stmts, on_stmt);
        return changed ? Stmt(StmtNode{Block{std::move(stmts)}}) : s;
      },
      [&](const Store& n) {
        auto [indices, changed] = mapped(n.indices, on_expr);
        Expr value = on_expr(n.value);
        if (!changed && same(value, n.value)) return s;
        return Stmt(StmtNode{Store{n.tensor, std::move(indices), std::move(value), n.reducer}});
      },
      [&](const Allocate& n) {
        Stmt body = on_stmt(n.body);
        return same(body, n.body) ? s : Stmt(StmtNode{Allocate{n.placed, std::move(body)}});
      },
      [&](const If& n) {
        Expr condition = on_expr(n.condition);
        Stmt yes = on_stmt(n.yes);
        std::optional<Stmt> no;
        if (n.no) no = on_stmt(*n.no);
        if (same(condition, n.condition) && same(yes, n.yes) && (!no || same(*no, *n.no))) return s;
        return Stmt(StmtNode{If{std::move(condition), std::move(yes), std::move(no)}});
      },
      [&](const Prefetch& n) {
        auto [indices, changed] = mapped(n.indices, on_expr);
        return changed ? Stmt(StmtNode{Prefetch{n.tensor, std::move(indices)}}) : s;
      });
}

void visit(const Expr& e, const std::function<void(const Expr&)>& f) {
  f(e);
  map_children(e, [&](const Expr& child) {
    visit(child, f);
    return child;
  });
}

void visit(const Stmt& s, const std::function<void(const Stmt&)>& on_stmt) {
  on_stmt(s);
  map_children(
      s,
      [&](const Stmt& child) {
        visit(child, on_stmt);
        return child;
      },
      [](const Expr& e) { return e; });
}

void visit_exprs(const Stmt& s, const std::function<void(const Expr&)>& on_expr) {
  map_children(
      s,
      [&](const Stmt& child) {
        visit_exprs(child, on_expr);
        return child;
      },
      [&](const Expr& e) {
        on_expr(e);
        return e;
      });
}

Expr substitute(const Expr& e, const Substitution& values) {
  if (const AxisRef* ref = as<AxisRef>(e)) {
    const auto found = values.find(ref->axis);
    return found == values.end() ? e : found->second;
  }
  return map_children(e, [&](const Expr& child) { return substitute(child, values); });
}

Stmt substitute(const Stmt& s, const Substitution& values) {
  return map_children(
      s, [&](const Stmt& child) { return substitute(child, values); },
      [&](const Expr& e) { return substitute(e, values); });
}

Expr replace_loads(const Expr& e, const TensorId& tensor, const LoadRewrite& rewrite) {
  const Expr inner =
      map_children(e, [&](const Expr& child) { return replace_loads(child, tensor, rewrite); });
  const Load* found = as<Load>(inner);
  return found != nullptr && found->tensor == tensor ? rewrite(*found) : inner;
}

Stmt replace_loads(const Stmt& s, const TensorId& tensor, const LoadRewrite& rewrite) {
  return map_children(
      s, [&](const Stmt& child) { return replace_loads(child, tensor, rewrite); },
      [&](const Expr& e) { return replace_loads(e, tensor, rewrite); });
}

std::set<AxisId> axes_in(const Expr& e) {
  std::set<AxisId> axes;
  visit(e, [&](const Expr& part) {
    if (const AxisRef* ref = as<AxisRef>(part)) axes.insert(ref->axis);
  });
  return axes;
}

bool mentions(const Expr& e, const AxisId& axis) {
  if (const AxisRef* ref = as<AxisRef>(e)) return ref->axis == axis;
  bool found = false;
  visit(e, [&](const Expr& part) {
    const AxisRef* ref = as<AxisRef>(part);
    found = found || (ref != nullptr && ref->axis == axis);
  });
  return found;
}

std::vector<Load> loads_in(const Expr& e) {
  std::vector<Load> loads;
  visit(e, [&](const Expr& part) {
    if (const Load* found = as<Load>(part)) loads.push_back(*found);
  });
  return loads;
}

std::vector<Load> loads_in(const Stmt& s) {
  std::vector<Load> loads;
  visit_exprs(s, [&](const Expr& e) {
    for (Load& found : loads_in(e)) loads.push_back(std::move(found));
  });
  return loads;
}

std::set<TensorId> stored_in(const Stmt& s) {
  std::set<TensorId> tensors;
  visit(s, [&](const Stmt& part) {
    if (const Store* store = as<Store>(part)) tensors.insert(store->tensor);
  });
  return tensors;
}

Stmt block(std::vector<Stmt> stmts) {
  std::vector<Stmt> flat;
  for (Stmt& s : stmts) {
    if (const Block* inner = as<Block>(s))
      flat.insert(flat.end(), inner->stmts.begin(), inner->stmts.end());
    else
      flat.push_back(std::move(s));
  }
  if (flat.size() == 1) return flat.front();
  return Stmt(StmtNode{Block{std::move(flat)}});
}

}  // namespace tessera
