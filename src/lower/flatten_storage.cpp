#include "lower/flatten_storage.h"

#include "base/check.h"
#include "ir/rewrite.h"
#include "ir/simplify.h"

#include <map>

namespace tessera {
namespace {

using Places = std::map<TensorId, Placed>;

Expr offset_of(const Placed& placed, const std::vector<Expr>& indices) {
  const Layout& layout = placed.layout;
  const Shape strides = physical_strides(layout, placed.tensor.shape);
  Expr sum = 0;
  for (std::size_t t = 0; t < layout.terms.size(); ++t) {
    const LayoutTerm& term = layout.terms[t];
    const auto dim = static_cast<std::size_t>(term.dim);
    Expr index = indices[dim];
    if (!layout.halo.empty()) index = index + layout.halo[dim].before;
    if (term.divide != 1) index = index / term.divide;
    if (term.modulo != 0) index = index % term.modulo;
    sum = sum + index * strides[t];
  }
  return sum;
}

Expr flattened(const Expr& e, const Places& places) {
  const Expr inner = map_children(e, [&](const Expr& child) { return flattened(child, places); });
  const Load* n = as<Load>(inner);
  return n == nullptr ? inner
                      : load(n->tensor, n->dtype, {offset_of(places.at(n->tensor), n->indices)});
}

Stmt flattened(const Stmt& s, Places& places) {
  const auto on_expr = [&](const Expr& e) { return flattened(e, places); };
  if (const Allocate* n = as<Allocate>(s))
    places.insert_or_assign(n->placed.tensor.name, n->placed);
  const Stmt inner =
      map_children(s, [&](const Stmt& child) { return flattened(child, places); }, on_expr);
  if (const Store* n = as<Store>(inner))
    return Stmt(StmtNode{
        Store{n->tensor, {offset_of(places.at(n->tensor), n->indices)}, n->value, n->reducer}});
  if (const Prefetch* n = as<Prefetch>(inner))
    return Stmt(StmtNode{Prefetch{n->tensor, {offset_of(places.at(n->tensor), n->indices)}}});
  return inner;
}

}  // namespace

Program flatten_storage(const Program& program) {
  Places places;
  for (const Param& param : program.params) places.emplace(param.placed.tensor.name, param.placed);
  for (const Table& table : program.tables)
    places.emplace(table.tensor.name,
                   Placed{.tensor = table.tensor, .layout = row_major(table.tensor.shape.size())});
  Program out = program;
  out.body = simplify(flattened(program.body, places));
  return out;
}

}  // namespace tessera
