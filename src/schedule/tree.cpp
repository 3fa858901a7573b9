#include "schedule/tree.h"

#include "base/check.h"
#include "ir/rewrite.h"
#include "ir/simplify.h"

#include <algorithm>
#include <set>

namespace tessera {

namespace {

Expr keep(const Expr& e) { return e; }

/// Calls `f` on every loop with the loops around it.
void visit_loops(const Stmt& s, LoopScope& scope,
                 const std::function<void(const Loop&, const LoopScope&)>& f) {
  const Loop* loop = as<Loop>(s);
  if (loop != nullptr) {
    f(*loop, scope);
    scope.enter(loop->axis, loop->extent);
  }
  map_children(
      s,
      [&](const Stmt& child) {
        visit_loops(child, scope, f);
        return child;
      },
      keep);
  if (loop != nullptr) scope.leave();
}

}  // namespace

const Loop* find_loop(const Stmt& root, const AxisId& axis) {
  const Loop* found = nullptr;
  visit(root, [&](const Stmt& s) {
    if (const Loop* loop = as<Loop>(s); loop != nullptr && loop->axis == axis) found = loop;
  });
  return found;
}

LoopScope scope_of(const Stmt& root, const AxisId& axis) {
  LoopScope scope, found;
  visit_loops(root, scope, [&](const Loop& loop, const LoopScope& around) {
    if (loop.axis == axis) found = around;
  });
  return found;
}

Stmt replace_loop(const Stmt& root, const AxisId& axis, const std::function<Stmt(const Loop&)>& f) {
  if (const Loop* loop = as<Loop>(root); loop != nullptr && loop->axis == axis) return f(*loop);
  return map_children(root, [&](const Stmt& child) { return replace_loop(child, axis, f); }, keep);
}

Stmt replace_stmt(const Stmt& root, const Stmt& old, const Stmt& by) {
  if (root.is_same_node(old)) return by;
  return map_children(root, [&](const Stmt& child) { return replace_stmt(child, old, by); }, keep);
}

const Placed* find_placed(const Program& program, const TensorId& tensor) {
  for (const Param& param : program.params)
    if (param.placed.tensor.name == tensor) return &param.placed;
  const Placed* found = nullptr;
  visit(program.body, [&](const Stmt& s) {
    if (const Allocate* a = as<Allocate>(s); a != nullptr && a->placed.tensor.name == tensor)
      found = &a->placed;
  });
  return found;
}

namespace {

Stmt with_allocation(const Stmt& s, const TensorId& tensor,
                     const std::function<Placed(Placed)>& f) {
  if (const Allocate* a = as<Allocate>(s); a != nullptr && a->placed.tensor.name == tensor)
    return Stmt(StmtNode{Allocate{f(a->placed), a->body}});
  return map_children(
      s, [&](const Stmt& child) { return with_allocation(child, tensor, f); }, keep);
}

}  // namespace

Program with_placed(const Program& program, const TensorId& tensor,
                    const std::function<Placed(Placed)>& f) {
  Program out = program;
  for (Param& param : out.params)
    if (param.placed.tensor.name == tensor) param.placed = f(param.placed);
  out.body = with_allocation(program.body, tensor, f);
  return out;
}

Stmt without_allocation(const Stmt& s, const TensorId& tensor) {
  if (const Allocate* a = as<Allocate>(s); a != nullptr && a->placed.tensor.name == tensor)
    return a->body;
  return map_children(
      s, [&](const Stmt& child) { return without_allocation(child, tensor); }, keep);
}

bool is_output(const Program& program, const TensorId& tensor) {
  return std::any_of(program.params.begin(), program.params.end(), [&](const Param& param) {
    return param.role == Role::Output && param.placed.tensor.name == tensor;
  });
}

std::optional<Nest> find_nest(const Program& program, const TensorId& tensor) {
  std::optional<Nest> found;
  const std::function<void(const Stmt&)> search = [&](const Stmt& root) {
    std::vector<Loop> loops;
    Stmt s = root;
    while (const Loop* loop = as<Loop>(s)) {
      loops.push_back(*loop);
      s = loop->body;
    }
    if (const Store* store = as<Store>(s)) {
      if (store->tensor == tensor) found = Nest{std::move(loops), *store, root};
      return;
    }
    map_children(
        s,
        [&](const Stmt& child) {
          search(child);
          return child;
        },
        keep);
  };
  search(program.body);
  return found;
}

Stmt build(const std::vector<Loop>& loops, Stmt body) {
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    Loop outer = *loop;
    outer.body = std::move(body);
    body = Stmt(StmtNode{std::move(outer)});
  }
  return body;
}

AxisId fused_name(const AxisId& outer, const AxisId& inner) {
  std::size_t common = 0;
  for (std::size_t n = 0; n < std::min(inner.size(), outer.size()) && inner[n] == outer[n]; ++n)
    if (inner[n] == '.') common = n + 1;
  return outer + "_" + inner.substr(common);
}

AxisId renamed(const AxisId& axis, const TensorId& from, const TensorId& to) {
  const bool has_prefix = axis.starts_with(from + ".");
  return to + (has_prefix ? axis.substr(from.size()) : "." + axis);
}

Program with_body(const Program& program, Stmt body) {
  Program out = program;
  out.body = simplify(std::move(body));
  return out;
}

Program with_loop(const Program& program, const AxisId& axis, const Stmt& by) {
  const Stmt simple = simplify(by, scope_of(program.body, axis));
  Program out = program;
  out.body = replace_loop(program.body, axis, [&](const Loop&) { return simple; });
  return out;
}

TensorId fresh_tensor(const Program& program, const TensorId& name) {
  const auto is_taken = [&](const TensorId& id) {
    return find_placed(program, id) != nullptr ||
           std::any_of(program.tables.begin(), program.tables.end(),
                       [&](const Table& t) { return t.tensor.name == id; });
  };
  if (!is_taken(name)) return name;
  for (int n = 2;; ++n)
    if (TensorId numbered = name + std::to_string(n); !is_taken(numbered)) return numbered;
}

namespace {

/// One dimension of one load: `first + [0, size)` covers every index that the loops of `inner`
/// give.
struct Span {
  Affine first;
  std::int64_t size = 1;
  std::optional<Expr> extent;  // when one loop runs over the elements in order
};

std::optional<Span> span_of(const Expr& index, const std::set<AxisId>& inner,
                            const LoopScope& scope) {
  Span span;
  Affine moving;  // bounded as one: tails tie the axes of a split together
  const Affine affine = to_affine(index);
  span.first.constant = affine.constant;
  for (const auto& [atom, factor] : affine.terms) {
    const std::set<AxisId> used = axes_in(atom);
    const bool is_inner =
        std::any_of(used.begin(), used.end(), [&](const AxisId& a) { return inner.contains(a); });
    (is_inner || !loads_in(atom).empty() ? moving : span.first).add(atom, factor);
  }
  const auto range = bounds(to_expr(moving), scope);
  if (!range) return std::nullopt;
  span.first.constant += range->min;
  span.size = range->max - range->min + 1;
  const AxisRef* only = moving.terms.size() == 1 && moving.terms[0].second == 1
                            ? as<AxisRef>(moving.terms[0].first)
                            : nullptr;
  for (const auto& [name, extent] : scope.loops())
    if (only != nullptr && only->axis == name) span.extent = extent;
  if (span.extent)
    for (const AxisId& used : axes_in(*span.extent))
      if (inner.contains(used)) span.extent.reset();
  return span;
}

/// Widens `a` to cover `b` too; nothing when their distance is not known.
std::optional<Span> united(const Span& a, const Span& b) {
  const Affine distance = b.first + a.first * -1;
  if (!distance.is_constant()) return std::nullopt;
  Span both = a;
  both.first.constant += std::min<std::int64_t>(0, distance.constant);
  const std::int64_t end = std::max(a.size, distance.constant + b.size);
  both.size = end - std::min<std::int64_t>(0, distance.constant);
  if (distance.constant != 0 || a.extent != b.extent) both.extent.reset();
  return both;
}

class RegionFinder {
 public:
  RegionFinder(const Tensor& tensor, const LoopScope& outer)
      : tensor_(tensor),
        scope_(outer),
        spans_(tensor.shape.size()),
        is_whole_(tensor.shape.size()) {}

  void visit_stmt(const Stmt& s) {
    const Loop* loop = as<Loop>(s);
    const auto on_expr = [&](const Expr& e) {
      for (const Load& found : loads_in(e))
        if (found.tensor == tensor_.name) add(found);
      return e;
    };
    const auto on_stmt = [&](const Stmt& child) {
      if (loop != nullptr) {
        scope_.enter(loop->axis, loop->extent);
        inner_.insert(loop->axis);
      }
      visit_stmt(child);
      if (loop != nullptr) scope_.leave();
      return child;
    };
    map_children(s, on_stmt, on_expr);
  }

  Region region(const LoopScope& outer) const {
    Region out;
    for (std::size_t d = 0; d < spans_.size(); ++d) {
      const std::int64_t extent = tensor_.shape[d];
      const bool is_whole = is_whole_[d] || !spans_[d];
      const Expr first = is_whole ? Expr(0) : simplify(to_expr(spans_[d]->first), outer);
      const auto range = bounds(first, outer);
      out.first.push_back(first);
      out.size.push_back(is_whole ? extent : spans_[d]->size);
      out.is_inside.push_back(range && range->min >= 0 && range->max < extent);
      out.extent.push_back(is_whole ? std::nullopt : spans_[d]->extent);
      // A guarded read may run past the end.
      if (const auto end = out.extent[d] ? bounds(first + *out.extent[d], outer) : std::nullopt;
          !end || end->max > extent)
        out.extent[d].reset();
    }
    return out;
  }

 private:
  void add(const Load& found) {
    for (std::size_t d = 0; d < spans_.size(); ++d) {
      const auto span = span_of(found.indices[d], inner_, scope_);
      const auto both = span && spans_[d] ? united(*spans_[d], *span) : span;
      if (both) spans_[d] = both;
      if (!both) is_whole_[d] = true;
    }
  }

  const Tensor& tensor_;
  LoopScope scope_;
  std::set<AxisId> inner_;
  std::vector<std::optional<Span>> spans_;
  std::vector<bool> is_whole_;
};

}  // namespace

Region read_region(const Stmt& body, const Tensor& tensor, const LoopScope& outer) {
  RegionFinder finder(tensor, outer);
  finder.visit_stmt(body);
  return finder.region(outer);
}

}  // namespace tessera
