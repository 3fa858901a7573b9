#include "base/text.h"
#include "ir/rewrite.h"
#include "schedule/step.h"
#include "schedule/tree.h"

namespace tessera {
namespace {

constexpr std::size_t max_factors = 8;

}  // namespace

Result<Program> apply(const Split& step, const Program& program) {
  const std::string subject = "split " + step.axis + ": ";
  const Loop* loop = find_loop(program.body, step.axis);
  if (loop == nullptr) return Error{subject + "no such axis"};
  if (loop->kind != LoopKind::Serial) return Error{subject + "the loop is not serial"};
  if (step.factors.empty()) return Error{subject + "no factors"};
  if (step.factors.size() > max_factors)
    return Error{subject + std::to_string(step.factors.size()) + " factors, expected at most " +
                 std::to_string(max_factors)};
  const std::int64_t extent = max_extent(loop->extent, scope_of(program.body, step.axis));
  std::int64_t product = 1;
  for (const std::int64_t factor : step.factors) {
    if (factor < 1 || factor > extent / product)
      return Error{subject + "factors " + to_text(step.factors) + " are not within extent " +
                   std::to_string(extent)};
    product *= factor;
  }

  // Loop d covers `covered` iterations of the original loop per step; what is left for it is the
  // original extent less what the outer loops have passed.
  std::vector<Loop> loops;
  Expr passed = 0;
  std::int64_t covered = product;
  for (std::size_t d = 0; d <= step.factors.size(); ++d) {
    Loop part = *loop;
    part.axis = step.axis + "." + std::to_string(d);
    const Expr rounds = (loop->extent - passed + (covered - 1)) / covered;
    part.extent = d == 0 ? rounds : min(step.factors[d - 1], rounds);
    passed = passed + axis(part.axis) * covered;
    loops.push_back(std::move(part));
    if (d < step.factors.size()) covered /= step.factors[d];
  }
  const Stmt nest = build(loops, substitute(loop->body, {{step.axis, passed}}));
  return with_loop(program, step.axis, nest);
}

Result<Program> apply(const Fuse& step, const Program& program) {
  const std::string subject = "fuse " + step.outer + " " + step.inner + ": ";
  const Loop* outer = find_loop(program.body, step.outer);
  const Loop* inner = find_loop(program.body, step.inner);
  if (outer == nullptr || inner == nullptr)
    return Error{subject + "no axis " + (outer == nullptr ? step.outer : step.inner)};
  const Loop* next = as<Loop>(outer->body);
  if (next == nullptr || next->axis != step.inner)
    return Error{subject + "the loops are not perfectly nested"};
  if (outer->kind != LoopKind::Serial || inner->kind != LoopKind::Serial)
    return Error{subject + "the loops are not serial"};
  if (outer->reduces != inner->reduces)
    return Error{subject + "one loop reduces and the other does not"};
  const auto extent = constant_value(inner->extent);
  if (!extent || !constant_value(outer->extent))
    return Error{subject + "the extents are not constant"};

  Loop fused = *outer;
  fused.axis = fused_name(step.outer, step.inner);
  fused.extent = outer->extent * inner->extent;
  fused.body = substitute(inner->body, {{step.outer, axis(fused.axis) / *extent},
                                        {step.inner, axis(fused.axis) % *extent}});
  if (find_loop(program.body, fused.axis) != nullptr)
    return Error{subject + "the name " + fused.axis + " is taken"};
  return with_loop(program, step.outer, Stmt(StmtNode{std::move(fused)}));
}

}  // namespace tessera
