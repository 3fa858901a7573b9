#include "backend/llvm/emitter.h"

#include <llvm/IR/Constants.h>

#include <numeric>

namespace tessera::codegen {
namespace {

using llvm::Value;

/// n when exactly the first n lanes of a constant mask are set.
std::optional<std::int64_t> prefix_length(Value* mask) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  if (constant == nullptr) return std::nullopt;
  std::int64_t length = 0;
  for (std::int64_t lane = 0; lane < lanes_of(mask); ++lane) {
    const llvm::Constant* bit = constant->getAggregateElement(static_cast<unsigned>(lane));
    if (bit == nullptr) return std::nullopt;
    if (bit->isZeroValue()) continue;
    if (length != lane) return std::nullopt;
    length += 1;
  }
  return length;
}

}  // namespace

void Emitter::emit_store(const Store& store) {
  Slot& slot = *tensors_.at(store.tensor);
  const auto [first, stride] = access(store.indices.front());
  if (lanes_.count == 0) return store_at(store, slot, first, 0);
  if (slot.is_private || stride == 1) return store_at(store, slot, first, lanes_.count);
  if (stride == 0 && store.reducer) return store_horizontal(store, slot, first);
  Value* value = emit(store.value);
  const bool surely_runs = guard_ == nullptr && lanes_.has_first;
  if (stride == 0 && surely_runs && lanes_of(value) == 0) return write(slot, first, 0, value);
  store_lane_by_lane(store, slot, ops_.broadcast(value, lanes_.count));
}

void Emitter::store_at(const Store& store, Slot& slot, const Index& offset, std::int64_t lanes) {
  if (!store.reducer) return write(slot, offset, lanes, emit(store.value));
  Value* old = read(slot, offset, lanes);
  const Binary* product = as<Binary>(store.value);
  if (store.reducer == Reducer::Sum && slot.dtype == DType::F32 && product != nullptr &&
      product->op == BinaryOp::Mul)
    return write(slot, offset, lanes, emit_product_sum(*product, old));
  write(slot, offset, lanes, ops_.combine(*store.reducer, old, emit(store.value)));
}

// All lanes meet in one element: lanes that do not run take no part.
void Emitter::store_horizontal(const Store& store, Slot& slot, const Index& offset) {
  Value* value = ops_.broadcast(emit(store.value), lanes_.count);
  Value* active = permission(lanes_.count);
  if (active != nullptr)
    value = ops_.select(active, value,
                        ops_.identity(*store.reducer, value->getType()->getScalarType()));
  Value* all = ops_.reduced(*store.reducer, value);
  const Lanes lanes =
      std::exchange(lanes_, {});  // from here on one element, always there to be written
  Value* guard = std::exchange(guard_, nullptr);
  if (active != nullptr && !(guard == nullptr && lanes.has_first))
    guard_ = lanes_of(active) == 0 ? active : b_.CreateOrReduce(active);
  write(slot, offset, 0, ops_.combine(*store.reducer, read(slot, offset, 0), all));
  guard_ = guard;
  lanes_ = lanes;
}

// In order, so that the last lane wins where lanes meet.
void Emitter::store_lane_by_lane(const Store& store, Slot& slot, Value* value) {
  const std::int64_t lanes = lanes_.count;
  Value* active = permission(lanes);
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    in_lane(lane, active, [&] {
      const Index offset = indices_.index(store.indices.front());
      Value* element = b_.CreateExtractElement(value, static_cast<std::uint64_t>(lane));
      if (store.reducer) element = ops_.combine(*store.reducer, read(slot, offset, 0), element);
      write(slot, offset, 0, element);
    });
  }
}

void Emitter::write(Slot& slot, const Index& offset, std::int64_t lanes, Value* value) {
  if (slot.place == Slot::Place::Register) return write_register(slot, offset, lanes, value);
  value = ops_.broadcast(value, lanes);
  Value* pointer = address(slot, offset, lanes);
  const llvm::Align align = alignment(slot, offset);
  Value* allowed = permission(lanes);
  Value* stored = ops_.to_stored(slot.dtype, value);
  known_.overwrite(slot, offset, lanes);
  if (allowed == nullptr) {
    note_store(slot, b_.CreateAlignedStore(stored, pointer, align));
    if (indices_.depth(offset) != Term::nowhere) known_.add(slot, offset, lanes, nullptr, value);
  } else if (lanes_of(allowed) == 0) {
    write_if(allowed, slot, pointer, stored, align);
  } else {
    write_masked(slot, pointer, stored, allowed, align);
  }
}

void Emitter::note_store(Slot& slot, llvm::Instruction* store) {
  slot.stores.push_back(store);
  aliases_.note(store, slot.alias_class);
}

void Emitter::write_register(Slot& slot, const Index& offset, std::int64_t lanes, Value* value) {
  const std::int64_t width = slot.plan.lanes;
  Value*& held = slot.values.at(static_cast<std::size_t>(offset.constant / width));
  Value* allowed = guard_;
  if (lanes > 0) {
    value = ops_.broadcast(value, lanes);
    if (slot.plan.keeps_masked_lanes) allowed = permission(lanes);
  } else if (width > 1) {
    value =
        b_.CreateInsertElement(held, value, static_cast<std::uint64_t>(offset.constant % width));
  }
  held = allowed == nullptr ? value : ops_.select(allowed, value, held);
}

void Emitter::write_if(Value* condition, Slot& slot, Value* pointer, Value* value,
                       llvm::Align align) {
  auto* yes = llvm::BasicBlock::Create(module_.getContext(), "write", frame_.function);
  auto* after = llvm::BasicBlock::Create(module_.getContext(), "", frame_.function);
  b_.CreateCondBr(condition, yes, after);
  b_.SetInsertPoint(yes);
  note_store(slot, b_.CreateAlignedStore(value, pointer, align));
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

// Where masks are slow, a known number of lanes is written in pieces of 8, 4, 2 and 1.
void Emitter::write_masked(Slot& slot, Value* pointer, Value* value, Value* mask,
                           llvm::Align align) {
  const std::optional<std::int64_t> length = prefix_length(mask);
  if (!length || target_.has_masks) {
    note_store(slot, b_.CreateMaskedStore(value, pointer, align, mask));
    return;
  }
  std::int64_t done = 0;
  for (std::int64_t piece = lanes_of(value); piece > 0; piece /= 2) {
    if (done + piece > *length) continue;
    std::vector<int> lanes(static_cast<std::size_t>(piece));
    std::iota(lanes.begin(), lanes.end(), static_cast<int>(done));
    Value* part = piece == 1 ? b_.CreateExtractElement(value, static_cast<std::uint64_t>(done))
                             : ops_.shuffled(value, lanes);
    Value* at = b_.CreateConstGEP1_64(ops_.stored_type(slot.dtype, 0), pointer,
                                      static_cast<std::uint64_t>(done));
    const auto bytes = static_cast<std::uint64_t>(done * size_bytes(slot.dtype));
    aliases_.note(b_.CreateAlignedStore(part, at, llvm::commonAlignment(align, bytes)),
                  slot.alias_class);
    done += piece;
  }
}

}  // namespace tessera::codegen
