#include "ops/nodes/operands.h"

#include "base/text.h"
#include "ops/rearrange.h"
#include "ops/shape.h"

namespace tessera::ops {

std::vector<TensorId> two_operands(const Definition& d) {
  const TensorId x = d.input(0), y = d.input(1);
  if (d.version() >= 7 || !d.has_attribute("axis")) return {x, y};
  Shape shape = d.shape(1);
  const std::size_t rank = d.shape(0).size();
  const Result<std::size_t> first = dimension(d.integer("axis", 0), rank);
  if (!first || *first + shape.size() > rank) {
    d.b.refuse(d.node().title(), "axis " + std::to_string(d.integer("axis", 0)) +
                                     " does not place shape " + to_text(shape) + " in " +
                                     to_text(d.shape(0)));
    return {x, y};
  }
  shape.resize(rank - *first, 1);
  return {x, reshape(d.b, y, shape)};
}

bool gives_nothing(Definition& d, std::optional<ElementType> element) {
  Shape shape = d.shape(0);
  for (std::size_t n = 1; n < d.input_count(); ++n) {
    const Result<Shape> both =
        d.has_input(n) ? broadcast(shape, d.shape(n)) : Result<Shape>(std::move(shape));
    if (!both) return false;  // refused by what reads both
    shape = *both;
  }
  if (element_count(shape) > 0) return false;
  d.output_empty(std::move(shape), element);
  return true;
}

TensorId of_both(const Definition& d, const Scalar2& f) {
  const std::vector<TensorId> operands = two_operands(d);
  const DType a = d.b.dtype(operands[0]), b = d.b.dtype(operands[1]);
  if (a != b) return d.b.refuse(d.node().title(), dtypes_differ(a, b));
  return elementwise(
      d.b, operands, [&](std::span<const Expr> e) { return f(e[0], e[1]); }, d.node().op);
}

TensorId of_both_numbers(const Definition& d, const Scalar2& f) {
  if (d.type(0).element == ElementType::Bool)
    return d.b.refuse(d.node().title(), undefined_for(DType::Bool));
  return of_both(d, f);
}

}  // namespace tessera::ops
