#include "ir/rewrite.h"
#include "schedule/step.h"
#include "schedule/tree.h"

#include <algorithm>
#include <map>

namespace tessera {
namespace {

/// Whether the nest is as its stage made it: spatial loops are the store's indices in order.
bool is_plain(const Nest& nest) {
  std::size_t dim = 0;
  for (const Loop& loop : nest.loops) {
    if (loop.kind != LoopKind::Serial) return false;
    if (!loop.reduces.empty()) continue;
    if (dim >= nest.store.indices.size() || !(nest.store.indices[dim] == axis(loop.axis)))
      return false;
    ++dim;
  }
  return dim == nest.store.indices.size();
}

/// A loop that does not run over just the elements of its dimension: its extent varies with the
/// loops around it, as that of a factored reduction may, or it leaves out what is never read.
bool is_partial(const Loop& loop, std::int64_t elements) {
  return constant_value(loop.extent) != elements;
}

/// A partial loop of the nest that is not needed from end to end, or null.
const Loop* cut_partial_loop(const Nest& nest, const Region& region, const Shape& shape) {
  std::size_t dim = 0;
  for (const Loop& loop : nest.loops) {
    if (!loop.reduces.empty()) continue;
    const bool is_whole = region.first[dim] == Expr(0) && region.size[dim] == shape[dim];
    if (is_partial(loop, shape[dim]) && !is_whole) return &loop;
    ++dim;
  }
  return nullptr;
}

/// The nest over `region` instead of the whole tensor, storing at indices relative to the region.
Stmt nest_over(const Nest& nest, const Region& region, const Shape& shape) {
  std::vector<Loop> loops = nest.loops;
  Substitution shifted;
  std::vector<Expr> indices;
  std::vector<Expr> guards;
  std::size_t dim = 0;
  for (Loop& loop : loops) {
    if (!loop.reduces.empty()) continue;
    const Expr first = region.first[dim];
    const Expr size = region.size[dim];
    if (is_partial(loop, shape[dim])) {  // needed whole: stays as it is
      indices.push_back(axis(loop.axis));
      ++dim;
      continue;
    }
    const Expr here = first + axis(loop.axis);
    loop.extent = size;
    if (region.is_inside[dim])
      loop.extent = region.extent[dim].value_or(min(size, Expr(shape[dim]) - first));
    if (!region.is_inside[dim]) guards.push_back(Expr(0) <= here && here < Expr(shape[dim]));
    shifted.emplace(loop.axis, here);
    indices.push_back(axis(loop.axis));
    ++dim;
  }
  Stmt body(StmtNode{Store{nest.store.tensor, std::move(indices),
                           substitute(nest.store.value, shifted), nest.store.reducer}});
  for (const Expr& guard : guards) body = Stmt(StmtNode{If{guard, std::move(body), std::nullopt}});
  return build(loops, std::move(body));
}

bool reads(const Stmt& s, const TensorId& tensor) {
  const std::vector<Load> loads = loads_in(s);
  return std::any_of(loads.begin(), loads.end(), [&](const Load& l) { return l.tensor == tensor; });
}

}  // namespace

Result<Program> apply(const ComputeAt& step, const Program& program) {
  const std::string subject = "compute_at " + step.stage + " " + step.axis + ": ";
  const std::optional<Nest> nest = find_nest(program, step.stage);
  if (!nest) return Error{subject + "no nest computes " + step.stage};
  if (!is_plain(*nest))
    return Error{subject + "the loops of " + step.stage + " were changed already"};
  if (is_output(program, step.stage)) return Error{subject + step.stage + " is an output"};
  if (step.memory == Memory::Constant) return Error{subject + "constant memory cannot be written"};
  if (find_loop(program.body, step.axis) == nullptr) return Error{subject + "no axis " + step.axis};
  if (find_loop(nest->root, step.axis) != nullptr)
    return Error{subject + "the loop is of the stage itself"};

  const Tensor tensor = find_placed(program, step.stage)->tensor;
  const Stmt without =
      replace_stmt(without_allocation(program.body, step.stage), nest->root, block({}));
  const Stmt hollow = replace_loop(without, step.axis, [](const Loop&) { return block({}); });
  if (reads(hollow, step.stage))
    return Error{subject + step.stage + " is also read outside the loop"};

  LoopScope scope = scope_of(without, step.axis);
  const Loop* loop = find_loop(without, step.axis);
  if (!reads(loop->body, step.stage))
    return Error{subject + "the loop does not read " + step.stage};
  scope.enter(step.axis, loop->extent);
  const Region region = read_region(loop->body, tensor, scope);

  if (const Loop* cut = cut_partial_loop(*nest, region, tensor.shape))
    return Error{subject + "loop " + cut->axis + " does not cover " + step.stage +
                 " and is only needed in part"};

  const Stmt consumer = replace_loads(loop->body, step.stage, [&](const Load& load) {
    Load local = load;
    for (std::size_t d = 0; d < region.first.size(); ++d)
      local.indices[d] = local.indices[d] - region.first[d];
    return Expr(ExprNode{std::move(local)});
  });
  const Tensor part{.name = tensor.name, .dtype = tensor.dtype, .shape = region.size};
  Loop filled = *loop;
  filled.body = Stmt(StmtNode{Allocate{
      .placed = {.tensor = part, .memory = step.memory, .layout = row_major(part.shape.size())},
      .body = block({nest_over(*nest, region, tensor.shape), consumer})}});
  return with_body(program, replace_loop(without, step.axis,
                                         [&](const Loop&) { return Stmt(StmtNode{filled}); }));
}

Result<Program> apply(const Inline& step, const Program& program) {
  const std::string subject = "inline " + step.stage + ": ";
  const std::optional<Nest> nest = find_nest(program, step.stage);
  if (!nest) return Error{subject + "no nest computes " + step.stage};
  if (nest->store.reducer) return Error{subject + "the stage reduces"};
  if (is_output(program, step.stage)) return Error{subject + step.stage + " is an output"};
  const Shape shape = find_placed(program, step.stage)->tensor.shape;
  bool is_whole = is_plain(*nest);
  for (std::size_t d = 0; is_whole && d < shape.size(); ++d)
    is_whole = !is_partial(nest->loops[d], shape[d]);
  if (!is_whole) return Error{subject + "the loops of the stage were changed already"};
  const Stmt without =
      replace_stmt(without_allocation(program.body, step.stage), nest->root, block({}));
  return with_body(program, replace_loads(without, step.stage, [&](const Load& load) {
                     Substitution at;
                     for (std::size_t d = 0; d < nest->loops.size(); ++d)
                       at.emplace(nest->loops[d].axis, load.indices[d]);
                     return substitute(nest->store.value, at);
                   }));
}

}  // namespace tessera
