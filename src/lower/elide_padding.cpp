#include "lower/elide_padding.h"

#include "ir/bounds.h"
#include "ir/padding.h"
#include "ir/rewrite.h"

#include <map>

namespace tessera {
namespace {

using Places = std::map<TensorId, Placed>;

bool is_covered(const Load& load, const Placed& placed, const LoopScope& scope) {
  const Shape& shape = placed.tensor.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Halo halo = placed.layout.halo.empty() ? Halo{} : placed.layout.halo[d];
    const auto range = bounds(load.indices[d], scope);
    if (!range || range->min < -halo.before || range->max >= shape[d] + halo.after) return false;
  }
  return true;
}

Expr elided(const Expr& e, const Places& places, const LoopScope& scope) {
  const auto shape_of = [&](const TensorId& id) {
    const auto place = places.find(id);
    return place == places.end() ? Shape() : place->second.tensor.shape;
  };
  if (const Load* found = padded_read(e, shape_of);
      found != nullptr && places.contains(found->tensor))
    if (is_covered(*found, places.at(found->tensor), scope)) return Expr(ExprNode{*found});
  return map_children(e, [&](const Expr& child) { return elided(child, places, scope); });
}

Stmt elided(const Stmt& s, const Places& places, LoopScope scope) {
  const auto on_expr = [&](const Expr& e) { return elided(e, places, scope); };
  if (const Loop* n = as<Loop>(s)) {
    Loop out = *n;
    scope.enter(n->axis, n->extent);
    out.body = elided(n->body, places, scope);
    return Stmt(StmtNode{std::move(out)});
  }
  return map_children(s, [&](const Stmt& child) { return elided(child, places, scope); }, on_expr);
}

}  // namespace

Program elide_padding(const Program& program) {
  Places with_halo;
  for (const Param& param : program.params)
    if (!param.placed.layout.halo.empty())
      with_halo.emplace(param.placed.tensor.name, param.placed);
  if (with_halo.empty()) return program;
  Program out = program;
  out.body = elided(program.body, with_halo, {});
  return out;
}

}  // namespace tessera
