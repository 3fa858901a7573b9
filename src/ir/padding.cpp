#include "ir/padding.h"

namespace tessera {

bool is_inside_test(const Expr& condition, const Load& load, const Shape& shape) {
  const Binary* n = as<Binary>(condition);
  if (n == nullptr) return false;
  if (n->op == BinaryOp::And)
    return is_inside_test(n->a, load, shape) && is_inside_test(n->b, load, shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (n->op == BinaryOp::LessEqual && n->a == Expr(0) && n->b == load.indices[d]) return true;
    if (n->op == BinaryOp::Less && n->a == load.indices[d] && n->b == Expr(shape[d])) return true;
  }
  return false;
}

}  // namespace tessera
