#include "ir/arithmetic.h"
#include "ir/interpret_code.h"

namespace tessera {
namespace {

/// `a + factor * b`, both affine.
IndexCode sum(IndexCode a, const IndexCode& b, std::int64_t factor) {
  a.constant = wrapping_add(a.constant, wrapping_mul(factor, b.constant));
  for (const auto& [slot, coefficient] : b.terms)
    a.terms.emplace_back(slot, wrapping_mul(factor, coefficient));
  return a;
}

}  // namespace

std::int64_t Place::refuse(InterpretState& state, const Dim& dim, std::int64_t index) const {
  const std::string which =
      dims.size() == 1 ? "" : " of dimension " + std::to_string(&dim - dims.data());
  state.refuse(subject + ": index " + std::to_string(index) + which + " is outside " +
               std::to_string(dim.first) + " .. " + std::to_string(dim.first + dim.extent - 1));
  return -1;
}

std::size_t ExprResolver::add_axis(const AxisId& axis) { return axes_[axis] = axis_count_++; }

std::size_t ExprResolver::add_tensor(const Tensor& tensor, const Layout& layout) {
  tensors_[tensor.name] = {tensor_count_, tensor, layout};
  return tensor_count_++;
}

Place ExprResolver::load_place(const TensorId& tensor, const std::vector<Expr>& indices) const {
  const Slot& slot = tensors_.at(tensor);
  return place("load of " + tensor, slot, indices, slot.layout.halo);
}

Place ExprResolver::store_place(const TensorId& tensor, const std::vector<Expr>& indices) const {
  return place("store to " + tensor, tensors_.at(tensor), indices, {});  // a halo stays zero
}

Place ExprResolver::place(std::string subject, const Slot& slot, const std::vector<Expr>& indices,
                          const std::vector<Halo>& reach) const {
  Place place{.dims = {}, .subject = std::move(subject), .buffer = slot.buffer};
  const Shape& shape = slot.tensor.shape;
  if (form_ == Form::Lowered) {
    place.dims.push_back({.index = index(indices.front()),
                          .extent = physical_size(slot.layout, shape),
                          .stride = 1,
                          .share = {}});
    return place;
  }
  const std::vector<OffsetShare> shares = offset_shares(slot.layout, shape);
  for (std::size_t dim = 0; dim < indices.size(); ++dim) {
    const Halo halo = reach.empty() ? Halo{} : reach[dim];
    const auto& parts = shares[dim].parts;
    place.dims.push_back({.index = index(indices[dim]),
                          .first = -halo.before,
                          .extent = halo.before + shape[dim] + halo.after,
                          .stride = parts.size() == 1 ? parts.front().stride : 0,
                          .share = shares[dim]});
  }
  return place;
}

IndexCode ExprResolver::index(const Expr& e) const {
  if (std::optional<IndexCode> code = affine(e)) return *std::move(code);
  IndexCode code;
  code.other = integer(e);
  return code;
}

std::optional<IndexCode> ExprResolver::affine(const Expr& e) const {
  IndexCode leaf;
  if (const auto* integer = as<Integer>(e)) {
    leaf.constant = integer->value;
    return leaf;
  }
  if (const auto* ref = as<AxisRef>(e)) {
    leaf.terms.emplace_back(axis_slot(ref->axis), 1);
    return leaf;
  }
  const auto* node = as<Binary>(e);
  if (node == nullptr) return std::nullopt;
  const std::optional<IndexCode> a = affine(node->a);
  const std::optional<IndexCode> b = affine(node->b);
  if (!a || !b) return std::nullopt;
  if (node->op == BinaryOp::Add) return sum(*a, *b, 1);
  if (node->op == BinaryOp::Sub) return sum(*a, *b, -1);
  if (node->op == BinaryOp::Mul && a->terms.empty()) return sum({}, *b, a->constant);
  if (node->op == BinaryOp::Mul && b->terms.empty()) return sum({}, *a, b->constant);
  return std::nullopt;
}

}  // namespace tessera
