#include "ir/rewrite.h"
#include "schedule/step.h"
#include "schedule/tree.h"

#include <bit>

namespace tessera {
namespace {

constexpr std::int64_t max_lanes = 64;
constexpr std::int64_t max_unroll = 64;

/// The serial loop of a step and its largest extent, or the refusal.
struct Found {
  const Loop* loop = nullptr;
  std::int64_t extent = 1;
};
Result<Found> serial_loop(const std::string& subject, const AxisId& axis, const Program& program) {
  const Loop* loop = find_loop(program.body, axis);
  if (loop == nullptr) return Error{subject + "no such axis"};
  if (loop->kind != LoopKind::Serial) return Error{subject + "the loop is not serial"};
  return Found{loop, max_extent(loop->extent, scope_of(program.body, axis))};
}

Program with_kind(const Program& program, const AxisId& axis, LoopKind kind, std::int64_t lanes) {
  Program out = program;  // no expression changes, so there is nothing to simplify
  out.body = replace_loop(program.body, axis, [&](const Loop& loop) {
    Loop annotated = loop;
    annotated.kind = kind;
    annotated.lanes = lanes;
    return Stmt(StmtNode{std::move(annotated)});
  });
  return out;
}

bool has_loop_of(const Stmt& s, LoopKind kind) {
  bool found = false;
  visit(s, [&](const Stmt& part) {
    if (const Loop* loop = as<Loop>(part)) found = found || loop->kind == kind;
  });
  return found;
}

/// Kinds of the loops around `axis`.
bool is_inside_kind(const Program& program, const AxisId& axis, LoopKind kind) {
  const LoopScope scope = scope_of(program.body, axis);
  for (const auto& [name, extent] : scope.loops())
    if (find_loop(program.body, name)->kind == kind) return true;
  return false;
}

}  // namespace

Result<Program> apply(const Vectorize& step, const Program& program) {
  const std::string subject = "vectorize " + step.axis + ": ";
  const auto found = serial_loop(subject, step.axis, program);
  if (!found) return found.error();
  if (found->extent > max_lanes)
    return Error{subject + "extent " + std::to_string(found->extent) + " exceeds " +
                 std::to_string(max_lanes) + " lanes"};
  if (has_loop_of(found->loop->body, LoopKind::Vector) ||
      is_inside_kind(program, step.axis, LoopKind::Vector))
    return Error{subject + "nested in or around another vector loop"};
  if (has_loop_of(found->loop->body, LoopKind::Parallel))
    return Error{subject + "around a parallel loop"};
  const auto lanes = std::bit_ceil(static_cast<std::uint64_t>(found->extent));
  return with_kind(program, step.axis, LoopKind::Vector, static_cast<std::int64_t>(lanes));
}

Result<Program> apply(const Unroll& step, const Program& program) {
  const std::string subject = "unroll " + step.axis + ": ";
  const auto found = serial_loop(subject, step.axis, program);
  if (!found) return found.error();
  if (found->extent > max_unroll)
    return Error{subject + "extent " + std::to_string(found->extent) + " exceeds " +
                 std::to_string(max_unroll)};
  if (has_loop_of(found->loop->body, LoopKind::Parallel))
    return Error{subject + "around a parallel loop"};
  return with_kind(program, step.axis, LoopKind::Unroll, 0);
}

Result<Program> apply(const Parallel& step, const Program& program) {
  const std::string subject = "parallel " + step.axis + ": ";
  const auto found = serial_loop(subject, step.axis, program);
  if (!found) return found.error();
  if (!found->loop->reduces.empty())
    return Error{subject + "the loop reduces " + found->loop->reduces};
  const LoopScope scope = scope_of(program.body, step.axis);
  for (const auto& [name, extent] : scope.loops())
    if (find_loop(program.body, name)->kind != LoopKind::Serial)
      return Error{subject + "inside the loop " + name + ", which is not serial"};
  if (has_loop_of(found->loop->body, LoopKind::Parallel))
    return Error{subject + "around a parallel loop"};
  return with_kind(program, step.axis, LoopKind::Parallel, 0);
}

}  // namespace tessera
