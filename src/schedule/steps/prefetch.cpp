#include "ir/rewrite.h"
#include "schedule/step.h"
#include "schedule/tree.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::int64_t max_distance = 1 << 16;

}  // namespace

Result<Program> apply(const PrefetchAhead& step, const Program& program) {
  const std::string subject = "prefetch " + step.tensor + " " + step.axis + ": ";
  const Loop* loop = find_loop(program.body, step.axis);
  if (loop == nullptr) return Error{subject + "no axis " + step.axis};
  if (step.distance < 1 || step.distance > max_distance)
    return Error{subject + "distance " + std::to_string(step.distance) + " is not within 1 and " +
                 std::to_string(max_distance)};
  const std::vector<Load> loads = loads_in(loop->body);
  const auto found = std::find_if(loads.begin(), loads.end(),
                                  [&](const Load& l) { return l.tensor == step.tensor; });
  if (found == loads.end()) return Error{subject + "the loop does not read it"};
  for (const Expr& index : found->indices)
    if (!loads_in(index).empty()) return Error{subject + "its index depends on data"};

  Substitution ahead{{step.axis, axis(step.axis) + step.distance}};
  visit(loop->body, [&](const Stmt& s) {
    if (const Loop* inner = as<Loop>(s)) ahead.emplace(inner->axis, 0);
  });
  Prefetch hint{.tensor = step.tensor, .indices = {}};
  for (const Expr& index : found->indices) hint.indices.push_back(substitute(index, ahead));
  Loop filled = *loop;
  filled.body = block({Stmt(StmtNode{std::move(hint)}), loop->body});
  return with_loop(program, step.axis, Stmt(StmtNode{std::move(filled)}));
}

}  // namespace tessera
