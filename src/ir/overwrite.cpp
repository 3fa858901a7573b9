#include "ir/overwrite.h"

#include "ir/rewrite.h"

#include <algorithm>

namespace tessera {
namespace {

template <typename F>
void visit_stores(const Stmt& s, const TensorId& tensor, const F& f) {
  visit(s, [&](const Stmt& part) {
    if (const Store* store = as<Store>(part); store != nullptr && store->tensor == tensor)
      f(*store);
  });
}

/// Whether elements are written without looking at what stood there, and no loop writes one again.
bool is_written_once(const Program& lowered, const TensorId& tensor) {
  bool is_once = std::ranges::count(loads_in(lowered.body), tensor, &Load::tensor) == 0;
  visit_stores(lowered.body, tensor, [&](const Store& store) { is_once &= !store.reducer; });
  visit(lowered.body, [&](const Stmt& stmt) {
    const Loop* loop = as<Loop>(stmt);
    if (loop == nullptr || loop->extent == Expr(1)) return;
    visit_stores(loop->body, tensor, [&](const Store& store) {
      is_once &= mentions(store.indices.front(), loop->axis);
    });
  });
  return is_once;
}

}  // namespace

bool may_overwrite(const Program& lowered, const Param& input, const Param& output) {
  const Placed &from = input.placed, &to = output.placed;
  if (input.role != Role::Input || output.role != Role::Output ||
      from.tensor.dtype != to.tensor.dtype || from.tensor.shape != to.tensor.shape ||
      from.layout != to.layout || !is_written_once(lowered, to.tensor.name))
    return false;
  std::int64_t in_place = 0;
  visit_stores(lowered.body, to.tensor.name, [&](const Store& store) {
    for (const Load& load : loads_in(store.value))
      if (load.tensor == from.tensor.name && load.indices == store.indices) ++in_place;
  });
  return in_place == std::ranges::count(loads_in(lowered.body), from.tensor.name, &Load::tensor);
}

}  // namespace tessera
