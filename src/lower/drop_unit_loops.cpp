#include "lower/drop_unit_loops.h"

#include "ir/rewrite.h"
#include "ir/simplify.h"

namespace tessera {
namespace {

Stmt dropped(const Stmt& s) {
  if (const Loop* n = as<Loop>(s); n != nullptr && n->extent == Expr(1))
    return dropped(substitute(n->body, {{n->axis, 0}}));
  return map_children(s, dropped, [](const Expr& e) { return e; });
}

}  // namespace

Program drop_unit_loops(const Program& program) {
  Program out = program;
  out.body = simplify(dropped(simplify(program.body)));
  return out;
}

}  // namespace tessera
