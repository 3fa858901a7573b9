#include "ir/padding.h"
#include "ir/rewrite.h"
#include "ir/simplify.h"
#include "schedule/step.h"
#include "schedule/tree.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace tessera {
namespace {

/// The extent of a loop in the first round of the loops around it, provided no later round is
/// longer: then the first round initialises every element that a later one combines into.
std::optional<std::int64_t> first_round(const Loop& loop, const std::vector<Loop>& loops) {
  LoopScope scope;
  Substitution first;
  for (const Loop& outer : loops) {
    if (outer.axis == loop.axis) break;
    scope.enter(outer.axis, outer.extent);
    first.emplace(outer.axis, 0);
  }
  const auto extent = constant_value(simplify(substitute(loop.extent, first)));
  const auto range = bounds(loop.extent, scope);
  return extent && range && range->max == *extent ? extent : std::nullopt;
}

/// Whether the nest's own loops make every index of its store, and none stands further out.
bool is_complete(const Nest& nest) {
  std::set<AxisId> used;
  for (const Expr& index : nest.store.indices) used.merge(axes_in(index));
  for (const Loop& loop : nest.loops) used.erase(loop.axis);
  return used.empty();
}

/// A loop over partial results and one that makes some of its rounds shorter, so that results which
/// no earlier round has given a value would be left without.
std::optional<std::pair<AxisId, AxisId>> find_gap(const Nest& nest,
                                                  const std::vector<AxisId>& kept) {
  const auto is_kept = [&](const Loop& loop) {
    return std::find(kept.begin(), kept.end(), loop.axis) != kept.end();
  };
  for (const Loop& loop : nest.loops)
    for (const Loop& other : nest.loops) {
      if (!axes_in(loop.extent).contains(other.axis)) continue;
      if (!loop.reduces.empty() && !is_kept(loop)) continue;
      if (is_kept(other) || (is_kept(loop) && other.reduces.empty()))
        return std::pair(loop.axis, other.axis);
    }
  return std::nullopt;
}

/// The tree with `fresh` in scope wherever `tensor` is: just inside its `alloc`, around everything
/// for a parameter.
Stmt allocated_beside(const Stmt& root, const TensorId& tensor, const Placed& fresh) {
  bool is_done = false;
  const std::function<Stmt(const Stmt&)> insert = [&](const Stmt& s) {
    const Allocate* n = as<Allocate>(s);
    if (n == nullptr || n->placed.tensor.name != tensor)
      return map_children(s, insert, [](const Expr& e) { return e; });
    is_done = true;
    return Stmt(StmtNode{Allocate{n->placed, Stmt(StmtNode{Allocate{fresh, n->body}})}});
  };
  const Stmt out = insert(root);
  return is_done ? out : Stmt(StmtNode{Allocate{fresh, out}});
}

/// Computes the stage of `nest` into a new tensor `part` that has one more dimension per loop of
/// `kept`, then reduces (or copies) that to the stage's own tensor in a nest whose loops have the
/// names of the stage's axes.
Result<Program> staged(const Program& program, const Nest& nest, const TensorId& part,
                       const std::vector<AxisId>& kept) {
  const Placed placed = *find_placed(program, nest.store.tensor);
  const TensorId& name = placed.tensor.name;
  std::vector<Loop> loops = nest.loops;
  Substitution renames;
  std::vector<Expr> indices = nest.store.indices;
  Tensor tensor{.name = part, .dtype = placed.tensor.dtype, .shape = placed.tensor.shape};
  std::vector<Loop> finals;
  std::vector<Expr> final_indices;

  for (std::size_t d = 0; d < placed.tensor.shape.size(); ++d) {
    // The stage's own axis name when the index is one, the dimension's number after a split.
    const AxisRef* ref = as<AxisRef>(nest.store.indices[d]);
    const AxisId id = ref != nullptr ? ref->axis : name + ".d" + std::to_string(d);
    finals.push_back(Loop{.axis = id, .extent = placed.tensor.shape[d], .body = block({})});
    final_indices.push_back(axis(id));
  }
  std::vector<Expr> read = final_indices;
  for (const AxisId& id : kept) {
    const auto loop =
        std::find_if(loops.begin(), loops.end(), [&](const Loop& l) { return l.axis == id; });
    tensor.shape.push_back(*first_round(*loop, nest.loops));
    indices.push_back(axis(id));
    finals.push_back(*loop);
    finals.back().extent = tensor.shape.back();
    read.push_back(axis(id));
    loop->reduces.clear();
  }
  for (Loop& loop : loops) {
    const AxisId id = renamed(loop.axis, name, part);
    renames.emplace(loop.axis, axis(id));
    loop.axis = id;
    if (!loop.reduces.empty()) loop.reduces = part;
  }
  for (Loop& loop : loops) loop.extent = substitute(loop.extent, renames);

  Store first{.tensor = part,
              .indices = {},
              .value = substitute(nest.store.value, renames),
              .reducer = nest.store.reducer};
  for (const Expr& index : indices) first.indices.push_back(substitute(index, renames));
  Store last{.tensor = name,
             .indices = final_indices,
             .value = load(part, tensor.dtype, read),
             .reducer = kept.empty() ? std::nullopt : nest.store.reducer};
  const Stmt both = block({build(loops, Stmt(StmtNode{std::move(first)})),
                           build(finals, Stmt(StmtNode{std::move(last)}))});
  const Placed fresh{.tensor = tensor, .layout = row_major(tensor.shape.size())};
  return with_body(program,
                   allocated_beside(replace_stmt(program.body, nest.root, both), name, fresh));
}

/// The padded read of `tensor` that `e` is, or null.
const Load* padded(const Expr& e, const Tensor& tensor) {
  const Load* found = padded_read(e, [&](const TensorId&) { return tensor.shape; });
  return found != nullptr && found->tensor == tensor.name ? found : nullptr;
}

/// Replaces each read of `tensor`, padded ones whole.
Expr replace_reads(const Expr& e, const Tensor& tensor, const LoadRewrite& rewrite) {
  if (const Load* found = padded(e, tensor)) return rewrite(*found);
  const Expr inner =
      map_children(e, [&](const Expr& c) { return replace_reads(c, tensor, rewrite); });
  const Load* found = as<Load>(inner);
  return found != nullptr && found->tensor == tensor.name ? rewrite(*found) : inner;
}

Stmt replace_reads(const Stmt& s, const Tensor& tensor, const LoadRewrite& rewrite) {
  return map_children(
      s, [&](const Stmt& child) { return replace_reads(child, tensor, rewrite); },
      [&](const Expr& e) { return replace_reads(e, tensor, rewrite); });
}

/// Whether some read of `tensor` is not of the padded form.
bool has_plain_read(const Stmt& s, const Tensor& tensor) {
  std::ptrdiff_t plain = 0;
  visit_exprs(s, [&](const Expr& root) {
    visit(root, [&](const Expr& e) {
      const Load* found = as<Load>(e);
      if (found != nullptr && found->tensor == tensor.name) ++plain;
      if (padded(e, tensor) != nullptr) --plain;
    });
  });
  return plain > 0;
}

}  // namespace

Result<Program> apply(const CacheWrite& step, const Program& program) {
  const std::string subject = "cache_write " + step.tensor + ": ";
  const std::optional<Nest> nest = find_nest(program, step.tensor);
  if (!nest) return Error{subject + "no nest computes it"};
  if (!is_complete(*nest)) return Error{subject + "its loops are not perfectly nested"};
  return staged(program, *nest, fresh_tensor(program, step.tensor + ".tile"), {});
}

Result<Program> apply(const Factor& step, const Program& program) {
  const std::string subject = "factor " + step.tensor + ": ";
  const std::optional<Nest> nest = find_nest(program, step.tensor);
  if (!nest) return Error{subject + "no nest computes it"};
  if (!is_complete(*nest)) return Error{subject + "its loops are not perfectly nested"};
  if (step.axes.empty()) return Error{subject + "no axes"};
  for (const AxisId& id : step.axes) {
    const auto loop = std::find_if(nest->loops.begin(), nest->loops.end(),
                                   [&](const Loop& l) { return l.axis == id; });
    if (loop == nest->loops.end()) return Error{subject + "no axis " + id};
    if (loop->reduces != step.tensor) return Error{subject + "axis " + id + " does not reduce it"};
    if (std::count(step.axes.begin(), step.axes.end(), id) > 1)
      return Error{subject + "axis " + id + " is named twice"};
    if (!first_round(*loop, nest->loops))
      return Error{subject + "the first round of " + id + " is shorter than the others"};
  }
  if (const auto pair = find_gap(*nest, step.axes))
    return Error{subject + "the extent of " + pair->first + " depends on " + pair->second};
  return staged(program, *nest, fresh_tensor(program, step.tensor + ".part"), step.axes);
}

Result<Program> apply(const CacheRead& step, const Program& program) {
  const std::string subject = "cache_read " + step.tensor + " " + step.axis + ": ";
  const Placed* placed = find_placed(program, step.tensor);
  if (placed == nullptr) return Error{subject + "no such tensor"};
  const Loop* loop = find_loop(program.body, step.axis);
  if (loop == nullptr) return Error{subject + "no axis " + step.axis};
  if (step.memory != Memory::Stack && step.memory != Memory::Register)
    return Error{subject + "memory must be stack or register"};
  if (stored_in(loop->body).contains(step.tensor)) return Error{subject + "the loop writes it"};
  const Tensor tensor = placed->tensor;
  LoopScope scope = scope_of(program.body, step.axis);
  scope.enter(step.axis, loop->extent);
  const std::vector<Load> loads = loads_in(loop->body);
  if (std::none_of(loads.begin(), loads.end(),
                   [&](const Load& l) { return l.tensor == step.tensor; }))
    return Error{subject + "the loop does not read it"};

  const Region region = read_region(loop->body, tensor, scope);
  Tensor pack{.name = fresh_tensor(program, step.tensor + ".pack"),
              .dtype = tensor.dtype,
              .shape = region.size};
  if (const auto fits = verify(step.layout, pack.shape); !fits)
    return Error{subject + fits.error().message};
  const bool is_padded =
      std::find(region.is_inside.begin(), region.is_inside.end(), false) != region.is_inside.end();
  if (is_padded && has_plain_read(loop->body, tensor))
    return Error{subject + "a read is not padded with zero"};

  std::vector<Loop> loops;
  std::vector<Expr> from, to;
  Expr inside = boolean(true);
  for (std::size_t d = 0; d < pack.shape.size(); ++d) {
    const AxisId id = pack.name + "." + std::to_string(d);
    const Expr here = region.first[d] + axis(id);
    // A padded copy fills its whole shape with data or zero; the others stop at the tensor's end.
    const Expr rest = Expr(tensor.shape[d]) - region.first[d];
    const Expr size = pack.shape[d];
    loops.push_back(
        Loop{.axis = id, .extent = is_padded ? size : min(size, rest), .body = block({})});
    if (is_padded) inside = inside && (Expr(0) <= here && here < Expr(tensor.shape[d]));
    from.push_back(here);
    to.push_back(axis(id));
  }
  Expr value = load(tensor.name, tensor.dtype, from);
  if (is_padded) value = select(inside, value, real(0.0));
  const Stmt copy = build(loops, Stmt(StmtNode{Store{pack.name, to, value, std::nullopt}}));
  const LoadRewrite local = [&](const Load& l) {
    std::vector<Expr> indices = l.indices;
    for (std::size_t d = 0; d < indices.size(); ++d) indices[d] = indices[d] - region.first[d];
    return load(pack.name, pack.dtype, indices);
  };
  const Stmt body = is_padded ? replace_reads(loop->body, tensor, local)
                              : replace_loads(loop->body, tensor.name, local);
  Loop filled = *loop;
  filled.body = Stmt(
      StmtNode{Allocate{.placed = {.tensor = pack, .memory = step.memory, .layout = step.layout},
                        .body = block({copy, body})}});
  return with_loop(program, step.axis, Stmt(StmtNode{std::move(filled)}));
}

}  // namespace tessera
