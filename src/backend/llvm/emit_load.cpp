#include "backend/llvm/emitter.h"

#include <llvm/IR/Constants.h>

#include <numeric>

namespace tessera::codegen {

using llvm::Value;

Emitter::Access Emitter::access(const Expr& offset) {
  Index index = indices_.index(offset);
  if (lanes_.count == 0 || !indices_.varies(index)) return {std::move(index), 0};
  const std::int64_t stride = index.coefficient(lanes_.term);
  std::erase_if(index.terms, [&](const auto& item) { return item.first == lanes_.term; });
  if (!indices_.varies(index)) return {std::move(index), stride};
  if (!loads_in(offset).empty()) return {std::move(index), std::nullopt};
  // Not linear in the vector axis as written, but perhaps within these lanes: (8 i + v) / 16.
  Access found{.first = {}, .stride = 0};
  for (std::int64_t lane = 0; lane < lanes_.count; ++lane) {
    indices_.bind(lanes_.axis, Index{.constant = lane, .terms = {}});
    const Index here = indices_.index(offset);
    if (lane == 0) found.first = here;
    const Index distance = here - found.first;
    if (lane == 1) found.stride = distance.constant;
    if (!distance.is_constant() || distance.constant != lane * found.stride.value_or(0))
      found.stride.reset();
    if (!found.stride) break;
  }
  indices_.bind(lanes_.axis, Index{.constant = 0, .terms = {{lanes_.term, 1}}});
  return found;
}

Value* Emitter::permission(std::int64_t lanes) {
  if (lanes_.count == 0) return guard_;
  Value* all = lanes_.mask;
  if (guard_ != nullptr) all = all == nullptr ? guard_ : ops_.binary(BinaryOp::And, all, guard_);
  if (lanes > 0 || all == nullptr) return all;
  // One access that stands for every lane: allowed when any lane is active.
  if (guard_ == nullptr && lanes_.has_first) return nullptr;
  if (lanes_of(all) == 0 || (lanes_.has_first && lanes_of(guard_) == 0)) return guard_;
  return b_.CreateOrReduce(all);
}

void Emitter::in_lane(std::int64_t lane, Value* active, llvm::function_ref<void()> f) {
  if (active != nullptr && lanes_of(active) > 0)
    active = b_.CreateExtractElement(active, static_cast<std::uint64_t>(lane));
  if (const auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(active)) {
    if (known->isZero()) return;
    active = nullptr;
  }
  const Lanes lanes = std::exchange(lanes_, {.count = 0, .lane = lane, .axis = {}});
  Value* guard = std::exchange(guard_, active);
  indices_.bind(lanes.axis, Index{.constant = lane, .terms = {}});
  f();
  indices_.bind(lanes.axis, Index{.constant = 0, .terms = {{lanes.term, 1}}});
  guard_ = guard;
  lanes_ = lanes;
}

bool Emitter::lies_inside(const Slot& slot, const Index& offset, std::int64_t lanes) const {
  const Range range = indices_.range(offset);
  return range.low >= 0 && range.high + std::max<std::int64_t>(lanes, 1) <= slot.readable;
}

llvm::Align Emitter::alignment(const Slot& slot, const Index& offset) const {
  const std::int64_t size = size_bytes(slot.dtype);
  std::int64_t common = std::gcd(std::int64_t{64}, offset.constant * size);
  for (const auto& [term, factor] : offset.terms) common = std::gcd(common, factor * size);
  return llvm::Align(static_cast<std::uint64_t>(common));
}

Value* Emitter::address(const Slot& slot, const Index& offset, std::int64_t lanes) {
  // Inbounds holds for the partial sums too when none of the terms is negative.
  bool inbounds = offset.constant >= 0 && lies_inside(slot, offset, lanes);
  for (const auto& [term, factor] : offset.terms)
    inbounds = inbounds && factor > 0 && indices_.term(term).range.low >= 0;
  return index_values_.address(base(slot), ops_.stored_type(slot.dtype, 0), offset, inbounds);
}

/// What a guarded access reads in place of memory it must not touch.
Value* Emitter::zeros() {
  llvm::Type* type = llvm::ArrayType::get(b_.getInt8Ty(), 256);
  if (zeros_ == nullptr) zeros_ = add_constant("guard.zeros", llvm::Constant::getNullValue(type));
  return zeros_;
}

Value* Emitter::emit_load(const Load& load) {
  Slot& slot = *tensors_.at(load.tensor);
  const auto [first, stride] = access(load.indices.front());
  if (slot.is_private) return read_register(slot, first, 0);
  if (stride == 0) return read(slot, first, 0);
  if (stride == 1) return read(slot, first, lanes_.count);
  Value* picked = stride ? read_strided(slot, first, *stride) : nullptr;
  return picked != nullptr ? picked : gather(slot, load);
}

// Near lanes are picked out of a run that holds them all, when that run may be read; else null.
Value* Emitter::read_strided(Slot& slot, const Index& first, std::int64_t stride) {
  const std::int64_t lanes = lanes_.count, reach = std::abs(stride) * lanes;
  Index start = first;
  if (stride < 0) start.constant += stride * (lanes - 1);
  const bool shuffles_cheaply =
      target_.has_fma || target_.vector_bytes <= 16;  // LLVM takes cubic time on AVX1
  if (std::abs(stride) > 4 || !shuffles_cheaply || slot.place == Slot::Place::Register ||
      !lies_inside(slot, start, reach))
    return nullptr;
  std::vector<int> picks;
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    picks.push_back(static_cast<int>(stride > 0 ? lane * stride : (lane - lanes + 1) * stride));
  return ops_.shuffled(read(slot, start, reach), picks);
}

Value* Emitter::gather(Slot& slot, const Load& load) {
  const std::int64_t lanes = lanes_.count;
  Value* active = permission(lanes);
  Value* vector = llvm::PoisonValue::get(ops_.value_type(slot.dtype, lanes));
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    in_lane(lane, active, [&] {
      Value* element = read(slot, indices_.index(load.indices.front()), 0);
      vector = b_.CreateInsertElement(vector, element, static_cast<std::uint64_t>(lane));
    });
  }
  return vector;
}

Value* Emitter::read(Slot& slot, const Index& offset, std::int64_t lanes) {
  if (slot.place == Slot::Place::Register) return read_register(slot, offset, lanes);
  if (slot.table != nullptr && offset.is_constant() && lanes == 0 && lies_inside(slot, offset, 0))
    return ops_.constant(slot.dtype,
                         slot.table->values.at(static_cast<std::size_t>(offset.constant)));
  return read_memory(slot, offset, lanes);
}

Value* Emitter::read_memory(Slot& slot, const Index& offset, std::int64_t lanes) {
  Value* guard = permission(lanes);
  if (guard != nullptr && lies_inside(slot, offset, lanes)) guard = nullptr;
  if (Value* known = known_.find(slot, offset, lanes, guard)) return known;

  Value* pointer = address(slot, offset, lanes);
  const llvm::Align align = alignment(slot, offset);
  llvm::Instruction* stored = nullptr;
  if (guard != nullptr)
    stored = llvm::cast<llvm::Instruction>(read_guarded(slot, pointer, lanes, guard, align));
  else
    stored = b_.CreateAlignedLoad(ops_.stored_type(slot.dtype, lanes), pointer, align);
  if (slot.read_only)
    stored->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(module_.getContext(), {}));
  aliases_.note(stored, slot.alias_class);
  Value* value = ops_.to_value(slot.dtype, stored);
  slot.is_read = true;
  if (indices_.depth(offset) != Term::nowhere) known_.add(slot, offset, lanes, guard, value);
  return value;
}

// Zero where the guard forbids. One guard for the whole access moves the access itself, without a
// branch.
Value* Emitter::read_guarded(Slot& slot, Value* pointer, std::int64_t lanes, Value* guard,
                             llvm::Align align) {
  llvm::Type* type = ops_.stored_type(slot.dtype, lanes);
  if (lanes_of(guard) == 0)
    return b_.CreateAlignedLoad(type, b_.CreateSelect(guard, pointer, zeros()), align);
  return b_.CreateMaskedLoad(type, pointer, align, guard, llvm::Constant::getNullValue(type));
}

Value* Emitter::read_register(const Slot& slot, const Index& offset, std::int64_t lanes) {
  const std::int64_t width = slot.plan.lanes;
  Value* value = slot.values.at(static_cast<std::size_t>(offset.constant / width));
  if (slot.is_private && lanes_.count == 0)
    return b_.CreateExtractElement(value, static_cast<std::uint64_t>(lanes_.lane));
  if (lanes > 0 || width == 1) return value;
  return b_.CreateExtractElement(value, static_cast<std::uint64_t>(offset.constant % width));
}

}  // namespace tessera::codegen
