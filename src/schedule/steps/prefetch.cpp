#include "ir/rewrite.h"
#include "schedule/step.h"
#include "schedule/tree.h"

#include <algorithm>

namespace tessera {

Result<Program> apply(const PrefetchAhead& step, const Program& program) {
  const std::string subject = "prefetch " + step.tensor + " " + step.axis + ": ";
  const Loop* loop = find_loop(program.body, step.axis);
  if (loop == nullptr) return Error{subject + "no axis " + step.axis};
  if (step.distance < 1)
    return Error{subject + "distance " + std::to_string(step.distance) + " is not positive"};
  const std::vector<Load> loads = loads_in(loop->body);
  const auto found = std::find_if(loads.begin(), loads.end(),
                                  [&](const Load& l) { return l.tensor == step.tensor; });
  if (found == loads.end()) return Error{subject + "the loop does not read it"};

  Substitution ahead{{step.axis, axis(step.axis) + step.distance}};
  visit(loop->body, [&](const Stmt& s) {
    if (const Loop* inner = as<Loop>(s)) ahead.emplace(inner->axis, 0);
  });
  Prefetch hint{.tensor = step.tensor, .indices = {}};
  for (const Expr& index : found->indices) hint.indices.push_back(substitute(index, ahead));
  Loop filled = *loop;
  filled.body = block({Stmt(StmtNode{std::move(hint)}), loop->body});
  return with_body(program, replace_loop(program.body, step.axis,
                                         [&](const Loop&) { return Stmt(StmtNode{filled}); }));
}

}  // namespace tessera
