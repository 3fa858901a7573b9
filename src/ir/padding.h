#pragma once

#include "ir/expr.h"
#include "tensor/tensor.h"

namespace tessera {

/// A zero-padded read of a tensor: `select(0 <= i && i < N && .., T[i, ..], 0.0)`, where each
/// conjunct tests one index of the load against its dimension. Gives the load, or null when `e` is
/// anything else. `shape_of` answers with the shape of a tensor.
template <typename ShapeOf>
const Load* padded_read(const Expr& e, const ShapeOf& shape_of);

bool is_inside_test(const Expr& condition, const Load& load, const Shape& shape);

template <typename ShapeOf>
const Load* padded_read(const Expr& e, const ShapeOf& shape_of) {
  const Select* s = as<Select>(e);
  if (s == nullptr || !(s->no == real(0.0))) return nullptr;
  const Load* found = as<Load>(s->yes);
  return found != nullptr && is_inside_test(s->condition, *found, shape_of(found->tensor))
             ? found
             : nullptr;
}

}  // namespace tessera
