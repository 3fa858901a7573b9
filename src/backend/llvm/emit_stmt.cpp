#include "backend/llvm/emitter.h"
#include "tensor/layout.h"

#include <llvm/IR/Constants.h>

namespace tessera::codegen {

using llvm::Value;

void Emitter::refuse(std::string message) {
  if (!refusal_) refusal_ = Error{program_.name + ": " + std::move(message)};
}

void Emitter::emit(const Stmt& s) {
  match(
      *s, [&](const Loop& n) { emit_loop(n); },
      [&](const Block& n) {
        for (const Stmt& child : n.stmts) emit(child);
      },
      [&](const Store& n) { emit_store(n); }, [&](const Allocate& n) { emit_allocate(n); },
      [&](const If& n) { emit_if(n); }, [&](const Prefetch& n) { emit_prefetch(n); });
}

void Emitter::emit_loop(const Loop& loop) {
  const Index extent = indices_.index(loop.extent);
  const Range range = indices_.range(extent);
  if (range.high <= 0) return;
  switch (loop.kind) {
    case LoopKind::Parallel:
      if (range.low != range.high || range.high != 1) return emit_parallel(loop);
      [[fallthrough]];
    case LoopKind::Serial:
      if (range.low == 1 && range.high == 1) return emit_unrolled(loop);
      emit_serial(loop, b_.getInt64(0), index_values_.value(extent), range.low <= 0,
                  {0, range.high - 1});
      return;
    case LoopKind::Unroll:
      return emit_unrolled(loop);
    case LoopKind::Vector:
      if (loop.lanes > 1 && runs_in_lockstep(loop)) return emit_vector(loop);
      return emit_unrolled(loop);
  }
}

/// Before code that runs `body` any number of times, and after it.
void Emitter::forget_stored(const Stmt& body) {
  for (const TensorId& name : stored_in(body))
    if (const auto found = tensors_.find(name); found != tensors_.end())
      known_.forget(*found->second);
}

/// The registers in scope that `body` assigns, as they are now.
Emitter::Snapshot Emitter::snapshot(const Stmt& body) const {
  Snapshot out;
  for (const TensorId& name : stored_in(body)) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end() || found->second->place != Slot::Place::Register) continue;
    out.emplace_back(found->second, found->second->values);
  }
  return out;
}

/// Where two ways of control meet: the registers as they come from each.
void Emitter::merge(const Snapshot& a, llvm::BasicBlock* from_a, const Snapshot& b,
                    llvm::BasicBlock* from_b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    Slot& slot = *a[i].first;
    for (std::size_t j = 0; j < slot.values.size(); ++j) {
      Value* x = a[i].second[j];
      Value* y = b[i].second[j];
      slot.values[j] = x;
      if (x == y) continue;
      llvm::PHINode* phi = b_.CreatePHI(x->getType(), 2);
      phi->addIncoming(x, from_a);
      phi->addIncoming(y, from_b);
      slot.values[j] = phi;
    }
  }
}

/// The registers as a loop's body sees them: as they came in, and later as the last round left
/// them.
Emitter::Snapshot Emitter::open_registers(const Snapshot& before, llvm::BasicBlock* from) {
  Snapshot opened = before;
  for (auto& [slot, values] : opened) {
    for (Value*& value : values) {
      llvm::PHINode* phi = b_.CreatePHI(value->getType(), 2);
      phi->addIncoming(value, from);
      value = phi;
    }
    slot->values = values;
  }
  return opened;
}

void Emitter::close_registers(const Snapshot& opened, llvm::BasicBlock* latch) {
  for (const auto& [slot, values] : opened)
    for (std::size_t i = 0; i < values.size(); ++i)
      llvm::cast<llvm::PHINode>(values[i])->addIncoming(slot->values[i], latch);
}

// The test stands at the end; address arithmetic of this depth collects in `head`, before its
// branch.
void Emitter::emit_serial(const Loop& loop, Value* begin, Value* end, bool may_be_empty,
                          Range range) {
  llvm::LLVMContext& context = module_.getContext();
  auto* head = llvm::BasicBlock::Create(context, loop.axis, frame_.function);
  auto* body = llvm::BasicBlock::Create(context, "", frame_.function);
  auto* after = llvm::BasicBlock::Create(context, "", frame_.function);
  llvm::BasicBlock* from = b_.GetInsertBlock();
  if (may_be_empty)
    b_.CreateCondBr(b_.CreateICmpSLT(begin, end), head, after);
  else
    b_.CreateBr(head);

  b_.SetInsertPoint(head);
  llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
  i->addIncoming(begin, from);
  const Snapshot before = snapshot(loop.body);
  const Snapshot opened = open_registers(before, from);
  index_values_.enter_loop(b_.CreateBr(body));
  index_values_.define(indices_.bind(loop.axis, range, index_values_.depth(), false), i);
  forget_stored(loop.body);
  const KnownValues known = known_;

  b_.SetInsertPoint(body);
  emit(loop.body);
  Value* next = b_.CreateAdd(i, b_.getInt64(1), "", true, true);
  llvm::BasicBlock* latch = b_.GetInsertBlock();
  i->addIncoming(next, latch);
  close_registers(opened, latch);
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), head, after);
  known_ = known;
  indices_.unbind(loop.axis);
  index_values_.leave_loop();

  b_.SetInsertPoint(after);
  if (may_be_empty) merge(before, from, snapshot(loop.body), latch);
}

void Emitter::emit_unrolled(const Loop& loop) {
  const Index extent = indices_.index(loop.extent);
  const Range range = indices_.range(extent);
  if (range.high >= Range::unknown)
    return refuse("unrolled loop " + loop.axis + ": extent has no constant bound");
  for (std::int64_t i = 0; i < range.high; ++i) {
    indices_.bind(loop.axis, Index{.constant = i, .terms = {}});
    if (i < range.low)
      emit(loop.body);
    else
      emit_branch(
          b_.CreateICmpSLT(b_.getInt64(static_cast<std::uint64_t>(i)), index_values_.value(extent)),
          loop.body, nullptr);
  }
  indices_.unbind(loop.axis);
}

void Emitter::emit_vector(const Loop& loop) {
  const Index extent = indices_.index(loop.extent);
  const Range range = indices_.range(extent);
  Lanes lanes{.count = loop.lanes, .axis = loop.axis};
  // Only lanes that run count: what inactive ones would compute decides nothing.
  lanes.term = indices_.bind(loop.axis, {0, std::min(loop.lanes, range.high) - 1}, 0, true);
  lanes.has_first = range.low > 0;
  if (range.low < loop.lanes) lanes.mask = index_values_.mask(extent, loop.lanes);
  index_values_.define(lanes.term, ops_.steps(b_.getInt64Ty(), loop.lanes));
  const Lanes outer = std::exchange(lanes_, lanes);
  emit(loop.body);
  lanes_ = outer;
  indices_.unbind(loop.axis);
}

void Emitter::emit_if(const If& branch) {
  const Stmt* no = branch.no ? &*branch.no : nullptr;
  if (const std::optional<bool> known = indices_.decide(branch.condition)) {
    if (*known) return emit(branch.yes);
    return no != nullptr ? emit(*no) : void();
  }
  Value* condition = emit(branch.condition);
  if (lanes_of(condition) == 0) return emit_branch(condition, branch.yes, no);
  // Lanes that differ in their way take both, each under its mask.
  Value* outer = guard_;
  guard_ = outer == nullptr ? condition : ops_.binary(BinaryOp::And, outer, condition);
  emit(branch.yes);
  Value* opposite = b_.CreateNot(condition);
  guard_ = outer == nullptr ? opposite : ops_.binary(BinaryOp::And, outer, opposite);
  if (no != nullptr) emit(*no);
  guard_ = outer;
}

void Emitter::emit_branch(Value* condition, const Stmt& yes, const Stmt* no) {
  llvm::LLVMContext& context = module_.getContext();
  auto* yes_block = llvm::BasicBlock::Create(context, "yes", frame_.function);
  auto* no_block = llvm::BasicBlock::Create(context, "no", frame_.function);
  auto* after = llvm::BasicBlock::Create(context, "", frame_.function);
  b_.CreateCondBr(condition, yes_block, no_block);
  const Stmt both = no == nullptr ? yes : block({yes, *no});
  const Snapshot before = snapshot(both);
  const KnownValues known = known_;
  const auto side = [&](llvm::BasicBlock* start, const Stmt* body) {
    b_.SetInsertPoint(start);
    known_ = known;
    if (body != nullptr) emit(*body);
    b_.CreateBr(after);
    return b_.GetInsertBlock();
  };
  llvm::BasicBlock* yes_end = side(yes_block, &yes);
  const Snapshot after_yes = snapshot(both);
  for (const auto& [slot, values] : before) slot->values = values;
  llvm::BasicBlock* no_end = side(no_block, no);
  const Snapshot after_no = snapshot(both);
  known_ = known;
  forget_stored(both);
  b_.SetInsertPoint(after);
  merge(after_yes, yes_end, after_no, no_end);
}

void Emitter::place_in_memory(Slot& slot, std::int64_t elements) {
  const bool is_scratch = frame_.scratch != nullptr;
  Arena& arena = frame_.arena;
  // Room for one more vector: a masked read may then read whole.
  const std::int64_t spare = 64, bytes = elements * size_bytes(slot.dtype) + spare;
  slot.place = is_scratch ? Slot::Place::Scratch : Slot::Place::Workspace;
  slot.position = arena.top;
  slot.readable = bytes / size_bytes(slot.dtype);
  arena.top = (arena.top + bytes + 63) / 64 * 64;
  arena.peak = std::max(arena.peak, arena.top);
  slot.alias_class =
      aliases_.add(is_scratch ? AliasClasses::Arena::Scratch : AliasClasses::Arena::Workspace,
                   slot.position, arena.top);
}

void Emitter::emit_allocate(const Allocate& allocate) {
  const auto& [tensor, memory, layout] = allocate.placed;
  const std::int64_t elements = physical_size(layout, tensor.shape);
  const std::int64_t top = frame_.arena.top;
  Slot& slot = slots_.emplace_back();
  slot.dtype = tensor.dtype;
  slot.is_private = lanes_.count > 0;
  if (memory == Memory::Register && !slot.is_private)
    slot.plan = plan_registers(allocate, indices_);
  if (memory == Memory::Register && !slot.plan.in_memory) {
    const std::int64_t width = slot.is_private ? lanes_.count : slot.plan.lanes;
    llvm::Type* type = ops_.value_type(slot.dtype, width == 1 ? 0 : width);
    const std::int64_t count = (elements + slot.plan.lanes - 1) / slot.plan.lanes;
    slot.place = Slot::Place::Register;
    slot.values.assign(static_cast<std::size_t>(count), llvm::PoisonValue::get(type));
  } else {
    place_in_memory(slot, elements);
  }
  tensors_[tensor.name] = &slot;
  if (slot.is_private) indices_.add_private(tensor.name);
  emit(allocate.body);
  indices_.remove_private(tensor.name);
  tensors_.erase(tensor.name);
  frame_.arena.top = top;
  known_.forget(slot);
  if (!slot.is_read)  // what was read back was known
    for (llvm::Instruction* store : slot.stores) store->eraseFromParent();
}

void Emitter::emit_prefetch(const Prefetch& prefetch) {
  const Slot& slot = *tensors_.at(prefetch.tensor);
  if (slot.place == Slot::Place::Register) return;
  const Index offset = access(prefetch.indices.front()).first;
  if (indices_.varies(offset)) return;  // a hint about scattered lanes helps nobody
  Value* pointer =
      index_values_.address(base(slot), ops_.stored_type(slot.dtype, 0), offset, false);
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                     {pointer, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
}

}  // namespace tessera::codegen
