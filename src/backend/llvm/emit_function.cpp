#include "backend/llvm/emitter.h"
#include "base/check.h"
#include "base/text.h"
#include "ir/overwrite.h"
#include "tensor/layout.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace tessera::codegen {

using llvm::Value;

Emitter::Emitter(const Program& program, const Target& target, llvm::Module& module)
    : program_(program),
      target_(target),
      module_(module),
      b_(module.getContext()),
      ops_(b_, target),
      index_values_(b_, indices_, ops_, [this](const Expr& e) { return emit_in_place(e); }) {
  llvm::FastMathFlags flags;
  flags.setAllowContract();
  b_.setFastMathFlags(flags);
}

Result<std::int64_t> Emitter::emit() {
  llvm::Function* function = begin_function(program_.name, {b_.getPtrTy()});
  function->setLinkage(llvm::GlobalValue::ExternalLinkage);
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  frame_.call = function->getArg(0);
  add_params();
  add_tables();
  emit(program_.body);
  b_.CreateRetVoid();
  aliases_.attach(module_.getContext());
  if (refusal_) return *refusal_;
  add_constant(program_.name + "_workspace_bytes",
               b_.getInt64(static_cast<std::uint64_t>(frame_.arena.peak)))
      ->setLinkage(llvm::GlobalValue::ExternalLinkage);
  std::string problem;
  llvm::raw_string_ostream out(problem);
  const bool is_broken = llvm::verifyModule(module_, &out);
  check(!is_broken, program_.name + " gives valid code: " + problem);
  return frame_.arena.peak;
}

/// Leaves the builder in the body; what belongs to the entry goes before its branch.
llvm::Function* Emitter::begin_function(const std::string& name, llvm::ArrayRef<llvm::Type*> args) {
  llvm::LLVMContext& context = module_.getContext();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), args, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module_);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("target-cpu", target_.cpu);
  function->addFnAttr("target-features", join(target_.features, ","));
  function->addFnAttr("prefer-vector-width", std::to_string(target_.vector_bytes * 8));
  function->addFnAttr("no-trapping-math", "true");
  if (target_.arch == Arch::AArch64 && target_.vector_bytes > 16) {
    const auto scale = static_cast<unsigned>(target_.vector_bytes / 16);
    function->addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(context, scale, scale));
  }
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* body = llvm::BasicBlock::Create(context, "body", function);
  b_.SetInsertPoint(entry);
  index_values_.enter_loop(b_.CreateBr(body));
  b_.SetInsertPoint(body);
  frame_.function = function;
  return function;
}

void Emitter::add_params() {
  for (std::size_t i = 0; i < program_.params.size(); ++i) {
    const Param& param = program_.params[i];
    Slot& slot = slots_.emplace_back();
    slot.dtype = param.placed.tensor.dtype;
    slot.position = static_cast<std::int64_t>(i);
    slot.readable = physical_size(param.placed.layout, param.placed.tensor.shape);
    slot.read_only = param.role != Role::Output;
    slot.alias_class = aliases_.add(AliasClasses::Arena::Own, 0, 0);
    tensors_[param.placed.tensor.name] = &slot;
  }
  // An input that may be overwritten changes when the output is written.
  for (const Param& input : program_.params)
    for (const Param& output : program_.params) {
      if (!may_overwrite(program_, input, output)) continue;
      Slot& slot = *tensors_.at(input.placed.tensor.name);
      slot.read_only = false;
      slot.alias_class = tensors_.at(output.placed.tensor.name)->alias_class;
    }
}

void Emitter::add_tables() {
  for (const Table& table : program_.tables) {
    Slot& slot = slots_.emplace_back();
    slot.dtype = table.tensor.dtype;
    slot.place = Slot::Place::Table;
    slot.readable = static_cast<std::int64_t>(table.values.size());
    slot.read_only = true;
    slot.alias_class = aliases_.add(AliasClasses::Arena::Own, 0, 0);
    slot.table = &table;
    std::vector<llvm::Constant*> values;
    llvm::Type* element = ops_.stored_type(slot.dtype, 0);
    for (const double value : table.values) {
      llvm::Constant* constant = ops_.constant(slot.dtype, value);
      if (slot.dtype == DType::Bool) constant = llvm::ConstantInt::get(element, value != 0 ? 1 : 0);
      values.push_back(constant);
    }
    auto* type = llvm::ArrayType::get(element, values.size());
    slot.global =
        add_constant("table." + table.tensor.name, llvm::ConstantArray::get(type, values));
    tensors_[table.tensor.name] = &slot;
  }
}

llvm::GlobalVariable* Emitter::add_constant(const std::string& name, llvm::Constant* value) {
  auto* global =
      llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal(name, value->getType()));
  global->setInitializer(value);
  global->setConstant(true);
  global->setLinkage(llvm::GlobalValue::PrivateLinkage);
  global->setAlignment(llvm::Align(64));
  return global;
}

/// A field of the TesseraCall, read at the entry.
Value* Emitter::call_field(CallField field) {
  Value* at = b_.CreateConstGEP1_64(b_.getPtrTy(), frame_.call, static_cast<std::uint64_t>(field));
  auto* load = b_.CreateAlignedLoad(b_.getPtrTy(), at, llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(module_.getContext(), {}));
  return load;
}

Value* Emitter::base(const Slot& slot) {
  Value*& known = frame_.bases[&slot];
  if (known != nullptr) return known;
  if (slot.place == Slot::Place::Table) return known = slot.global;
  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  b_.SetInsertPoint(index_values_.entry());
  if (slot.place == Slot::Place::Param) {
    llvm::LLVMContext& context = module_.getContext();
    Value* at = b_.CreateConstGEP1_64(b_.getPtrTy(), call_field(CallField::Buffers),
                                      static_cast<std::uint64_t>(slot.position));
    auto* load = b_.CreateAlignedLoad(b_.getPtrTy(), at, llvm::Align(8));
    const auto fact = [&](unsigned kind, std::int64_t value) {
      auto* number = llvm::ConstantAsMetadata::get(b_.getInt64(static_cast<std::uint64_t>(value)));
      load->setMetadata(kind, llvm::MDNode::get(context, {number}));
    };
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
    load->setMetadata(llvm::LLVMContext::MD_nonnull, llvm::MDNode::get(context, {}));
    fact(llvm::LLVMContext::MD_align, 64);
    fact(llvm::LLVMContext::MD_dereferenceable, slot.readable * size_bytes(slot.dtype));
    return known = load;
  }
  Value* arena =
      slot.place == Slot::Place::Scratch ? frame_.scratch : call_field(CallField::Workspace);
  return known = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), arena,
                                               static_cast<std::uint64_t>(slot.position));
}

// The frame that the body receives: the call, then the loop variables around that the body
// mentions.
void Emitter::emit_parallel(const Loop& loop) {
  const Index extent = indices_.index(loop.extent);
  std::set<AxisId> used;
  visit_exprs(loop.body, [&](const Expr& e) { used.merge(axes_in(e)); });
  std::vector<AxisId> captured;
  for (const auto& [name, value] : indices_.axes())
    if (used.contains(name) && !value.is_constant()) captured.push_back(name);
  std::vector<llvm::Type*> fields(captured.size() + 1, b_.getInt64Ty());
  fields.front() = b_.getPtrTy();
  auto* frame_type = llvm::StructType::get(module_.getContext(), fields);

  const auto point = b_.saveIP();
  b_.SetInsertPoint(&frame_.function->getEntryBlock().front());
  Value* frame = b_.CreateAlloca(frame_type);
  b_.restoreIP(point);
  b_.CreateStore(frame_.call, frame);
  for (unsigned i = 0; i < captured.size(); ++i)
    b_.CreateStore(index_values_.value(indices_.axes().at(captured[i])),
                   b_.CreateStructGEP(frame_type, frame, i + 1));
  Value* count = index_values_.value(extent);
  Value* pool = call_field(CallField::Pool);
  Value* parallel = call_field(CallField::Parallel);
  const auto [body, scratch_bytes] =
      emit_parallel_body(loop, frame_type, captured, indices_.range(extent).high);
  auto* type = llvm::FunctionType::get(
      b_.getVoidTy(),
      {b_.getPtrTy(), b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
  b_.CreateCall(type, parallel,
                {pool, body, frame, count, b_.getInt64(static_cast<std::uint64_t>(scratch_bytes))});
}

std::pair<llvm::Function*, std::int64_t> Emitter::emit_parallel_body(
    const Loop& loop, llvm::StructType* frame_type, const std::vector<AxisId>& captured,
    std::int64_t largest_extent) {
  const auto point = b_.saveIP();
  Frame outer = std::exchange(frame_, {});
  IndexValues::Function outer_values = index_values_.enter({});
  forget_stored(loop.body);
  const KnownValues outer_known = std::exchange(known_, {});
  const std::map<AxisId, Index> outer_axes = indices_.axes();

  llvm::Function* function =
      begin_function(program_.name + "." + loop.axis,
                     {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getPtrTy()});
  frame_.scratch = function->getArg(3);
  b_.SetInsertPoint(index_values_.entry());
  frame_.call = b_.CreateLoad(b_.getPtrTy(), function->getArg(0));
  for (unsigned i = 0; i < captured.size(); ++i) {
    Value* value =
        b_.CreateLoad(b_.getInt64Ty(), b_.CreateStructGEP(frame_type, function->getArg(0), i + 1));
    const Range range = indices_.range(outer_axes.at(captured[i]));
    index_values_.define(indices_.bind(captured[i], range, 0, false), value);
  }
  b_.SetInsertPoint(&function->back());
  emit_serial(loop, function->getArg(1), function->getArg(2), true, {0, largest_extent - 1});
  b_.CreateRetVoid();
  const std::int64_t scratch_bytes = frame_.arena.peak;

  for (const AxisId& name : captured) indices_.bind(name, outer_axes.at(name));
  known_ = outer_known;
  index_values_.enter(std::move(outer_values));
  frame_ = std::move(outer);
  b_.restoreIP(point);
  return {function, scratch_bytes};
}

}  // namespace tessera::codegen
