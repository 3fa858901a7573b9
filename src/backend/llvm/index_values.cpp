#include "backend/llvm/index_values.h"

#include <algorithm>

namespace tessera::codegen {

using llvm::Value;

void IndexValues::move_to(int depth) {
  if (depth < static_cast<int>(function_.anchors.size()))
    b_.SetInsertPoint(function_.anchors[static_cast<std::size_t>(depth)]);
}

Value* IndexValues::operation(const Term& term) {
  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  move_to(term.depth);
  Value* a = value(term.a);
  Value* b = value(term.b);
  const bool divides = *term.op == BinaryOp::Div || *term.op == BinaryOp::Mod;
  const bool unsigned_will_do =
      term.b.is_constant() && term.b.constant > 0 && space_.range(term.a).low >= 0;
  if (divides && unsigned_will_do) {
    b = ops_.broadcast(b, lanes_of(a));
    return *term.op == BinaryOp::Div ? b_.CreateUDiv(a, b) : b_.CreateURem(a, b);
  }
  return ops_.binary(*term.op, a, b);
}

Value* IndexValues::term(int number) {
  const auto found = function_.terms.find(number);
  if (found != function_.terms.end()) return found->second;
  const Term& term = space_.term(number);
  Value* value = term.op ? operation(term) : emit_opaque_(*term.opaque);
  // A value computed in place may not reach the next use.
  if (term.depth != Term::nowhere) function_.terms[number] = value;
  return value;
}

// Outer terms first, so that each prefix of the sum lies as far out as it can and is shared.
Value* IndexValues::sum(Value* base, llvm::Type* element, const Index& index, bool inbounds) {
  const int depth = space_.depth(index);
  const auto key = std::pair{base, index};
  if (depth != Term::nowhere) {
    const auto found = function_.sums.find(key);
    if (found != function_.sums.end()) return found->second;
  }
  Index outer;
  std::vector<std::pair<int, std::int64_t>> here;
  for (const auto& item : index.terms)
    (space_.term(item.first).depth == depth ? here : outer.terms).push_back(item);
  Value* start = outer.terms.empty() ? base : sum(base, element, outer, inbounds);

  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  move_to(depth);
  Value* step = nullptr;
  for (const auto& [number, factor] : here) {
    Value* product = term(number);
    if (factor != 1)
      product =
          ops_.binary(BinaryOp::Mul, product, b_.getInt64(static_cast<std::uint64_t>(factor)));
    step = step == nullptr ? product : ops_.binary(BinaryOp::Add, step, product);
  }
  if (base == nullptr)
    start = start == nullptr ? step : ops_.binary(BinaryOp::Add, start, step);
  else
    start = b_.CreateGEP(element, start, step, "", inbounds);
  if (depth != Term::nowhere) function_.sums[key] = start;
  return start;
}

Value* IndexValues::value(const Index& index) {
  Value* constant = b_.getInt64(static_cast<std::uint64_t>(index.constant));
  if (index.is_constant()) return constant;
  Index terms = index;
  terms.constant = 0;
  Value* all = sum(nullptr, nullptr, terms, false);
  return index.constant == 0 ? all : ops_.binary(BinaryOp::Add, all, constant);
}

Value* IndexValues::address(Value* base, llvm::Type* element, const Index& index, bool inbounds) {
  Index terms = index;
  terms.constant = 0;
  Value* pointer = terms.is_constant() ? base : sum(base, element, terms, inbounds);
  if (index.constant == 0) return pointer;
  return b_.CreateGEP(element, pointer, b_.getInt64(static_cast<std::uint64_t>(index.constant)), "",
                      inbounds);
}

Value* IndexValues::mask(const Index& extent, std::int64_t lanes) {
  const auto key = std::pair{extent, lanes};
  const auto found = function_.masks.find(key);
  if (found != function_.masks.end()) return found->second;
  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  const int depth = space_.depth(extent);
  move_to(depth);
  // Bytes would do for the count, but 32-bit comparisons are what masked loads of f32 want.
  Value* count = b_.CreateTrunc(value(extent), b_.getInt32Ty());
  Value* mask = ops_.binary(BinaryOp::Less, ops_.steps(b_.getInt32Ty(), lanes), count);
  if (depth != Term::nowhere) function_.masks[key] = mask;
  return mask;
}

}  // namespace tessera::codegen
