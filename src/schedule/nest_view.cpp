#include "schedule/nest_view.h"

#include "base/check.h"
#include "ir/padding.h"
#include "ir/rewrite.h"
#include "schedule/tree.h"

#include <algorithm>

namespace tessera {

bool Access::depends_on(const AxisId& axis) const {
  return std::any_of(dims.begin(), dims.end(), [&](const Affine& dim) {
    return std::any_of(dim.terms.begin(), dim.terms.end(),
                       [&](const auto& term) { return mentions(term.first, axis); });
  });
}

std::optional<std::size_t> Access::dim_of(const AxisId& axis) const {
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < dims.size(); ++d)
    for (const auto& [atom, factor] : dims[d].terms) {
      if (!mentions(atom, axis)) continue;
      if (found || as<AxisRef>(atom) == nullptr || factor != 1) return std::nullopt;
      found = d;
    }
  return found;
}

std::optional<std::int64_t> Access::block_of(const AxisId& axis) const {
  std::optional<std::int64_t> block;
  for (const Affine& dim : dims)
    for (const auto& [atom, factor] : dim.terms) {
      if (!mentions(atom, axis)) continue;
      const Binary* n = as<Binary>(atom);
      const bool is_division =
          n != nullptr && n->op == BinaryOp::Div && n->a == tessera::axis(axis);
      const auto size = is_division ? constant_value(n->b) : std::nullopt;
      if (!size || (block && *block != *size)) return std::nullopt;
      block = size;
    }
  return block;
}

std::optional<std::int64_t> Access::stride_of(const AxisId& axis) const {
  if (placed.tensor.shape.size() != dims.size()) return std::nullopt;  // a table
  std::int64_t sum = 0;
  const std::vector<OffsetShare> shares = offset_shares(placed.layout, placed.tensor.shape);
  for (std::size_t d = 0; d < dims.size(); ++d)
    for (const auto& [atom, factor] : dims[d].terms) {
      if (!mentions(atom, axis)) continue;
      if (as<AxisRef>(atom) == nullptr || shares[d].parts.size() != 1) return std::nullopt;
      sum += factor * shares[d].parts.front().stride;
    }
  return sum;
}

const ViewAxis& NestView::axis(const AxisId& id) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const ViewAxis& a) { return a.id == id; });
  check(found != axes.end(), "an axis of the nest");
  return *found;
}

std::vector<ViewAxis> NestView::spatial() const {
  std::vector<ViewAxis> out;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(out),
               [](const ViewAxis& a) { return !a.is_reduce; });
  return out;
}

std::vector<ViewAxis> NestView::reduce() const {
  std::vector<ViewAxis> out;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(out),
               [](const ViewAxis& a) { return a.is_reduce; });
  return out;
}

double NestView::points() const {
  double product = 1;
  for (const ViewAxis& a : axes) product *= static_cast<double>(a.extent);
  return product;
}

namespace {

bool is_transcendental(UnaryOp op) {
  switch (op) {
    case UnaryOp::Exp:
    case UnaryOp::Log:
    case UnaryOp::Erf:
    case UnaryOp::Tanh:
    case UnaryOp::Sigmoid:
    case UnaryOp::Sin:
    case UnaryOp::Cos:
      return true;
    default:
      return false;
  }
}

Access access_to(const Program& program, const TensorId& tensor, const std::vector<Expr>& indices) {
  Access out;
  const Placed* placed = find_placed(program, tensor);
  if (placed != nullptr) out.placed = *placed;
  out.is_constant = placed == nullptr || placed->memory == Memory::Constant;  // null: a table
  for (const Expr& index : indices) out.dims.push_back(to_affine(index));
  return out;
}

bool is_same(const Access& a, const Load& l) {
  if (a.placed.tensor.name != l.tensor) return false;
  for (std::size_t d = 0; d < l.indices.size(); ++d)
    if (!(to_expr(a.dims[d]) == to_expr(to_affine(l.indices[d])))) return false;
  return true;
}

void collect(const Program& program, const Expr& e, NestView& view) {
  const auto shape_of = [&](const TensorId& id) {
    const Placed* placed = find_placed(program, id);
    return placed == nullptr ? Shape() : placed->tensor.shape;
  };
  const Load* padded = padded_read(e, shape_of);
  const Load* plain = as<Load>(e);
  if (const Load* found = padded != nullptr ? padded : plain) {
    const bool is_known = std::any_of(view.reads.begin(), view.reads.end(),
                                      [&](const Access& a) { return is_same(a, *found); });
    if (!is_known) {
      view.reads.push_back(access_to(program, found->tensor, found->indices));
      view.reads.back().is_padded = padded != nullptr;
    }
    for (const Expr& index : found->indices)
      for (const Load& inner : loads_in(index))
        view.reads.push_back(access_to(program, inner.tensor, inner.indices));
    return;
  }
  if (const Unary* n = as<Unary>(e)) {
    view.operations += is_transcendental(n->op) ? 10 : 1;
    view.is_heavy = view.is_heavy || is_transcendental(n->op);
  }
  if (as<Binary>(e) != nullptr && e.dtype() != DType::I64) view.operations += 1;
  map_children(e, [&](const Expr& child) {
    collect(program, child, view);
    return child;
  });
}

}  // namespace

std::optional<NestView> view_of(const Program& program, const TensorId& tensor) {
  const std::optional<Nest> nest = find_nest(program, tensor);
  if (!nest) return std::nullopt;
  NestView view;
  view.tensor = tensor;
  for (const Loop& loop : nest->loops) {
    const auto extent = constant_value(loop.extent);
    if (!extent) return std::nullopt;
    view.axes.push_back({.id = loop.axis, .extent = *extent, .is_reduce = !loop.reduces.empty()});
  }
  view.has_reducer = nest->store.reducer.has_value();
  view.operations = view.has_reducer ? 1 : 0;
  collect(program, nest->store.value, view);
  view.write = access_to(program, tensor, nest->store.indices);
  return view;
}

}  // namespace tessera
