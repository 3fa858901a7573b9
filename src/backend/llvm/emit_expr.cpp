#include "backend/llvm/emitter.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace tessera::codegen {
namespace {

using llvm::Value;

bool is_index_arithmetic(const Expr& e) {
  if (e.dtype() != DType::I64) return false;
  if (as<Integer>(e) != nullptr || as<AxisRef>(e) != nullptr) return true;
  if (const Unary* n = as<Unary>(e)) return n->op == UnaryOp::Neg;
  const Binary* n = as<Binary>(e);
  return n != nullptr && n->op != BinaryOp::Pow;
}

bool is_zero(const Expr& e) {
  if (const Real* n = as<Real>(e)) return *n == Real{0.0};
  const Integer* n = as<Integer>(e);
  return n != nullptr && n->value == 0;
}

/// The one number that a float constant holds.
std::optional<double> number(Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  if (constant == nullptr) return std::nullopt;
  return static_cast<double>(constant->getValueAPF().convertToFloat());
}

/// Known from tables alone: the zeros and ones of a transform matrix.
std::optional<double> table_number(const Expr& e, Value* value) {
  return loads_in(e).empty() ? std::nullopt : number(value);
}

}  // namespace

Value* Emitter::emit(const Expr& e) {
  if (is_index_arithmetic(e)) return index_values_.value(indices_.index(e));
  return emit_in_place(e);
}

Value* Emitter::emit_in_place(const Expr& e) {
  return match(
      *e,
      [&](const Integer& n) -> Value* {
        return llvm::ConstantInt::getSigned(ops_.value_type(n.dtype, 0),
                                            n.dtype == DType::Bool ? -n.value : n.value);
      },
      [&](const Real& n) -> Value* { return ops_.constant(DType::F32, n.value); },
      [&](const AxisRef&) { return emit(e); },
      [&](const Unary& n) { return ops_.unary(n.op, emit(n.a)); },
      [&](const Binary& n) { return emit_binary(n); },
      [&](const Select& n) { return emit_select(n); },
      [&](const Cast& n) { return ops_.cast(n.to, emit(n.a)); },
      [&](const Load& n) { return emit_load(n); });
}

/// Of the lanes of a vector loop in 32 bits where they suffice, since masks of f32 are made of
/// those.
Value* Emitter::emit_comparison(BinaryOp op, const Index& a, const Index& b) {
  Index uniform = b - a;
  const std::int64_t stride = -uniform.coefficient(lanes_.term);
  std::erase_if(uniform.terms, [&](const auto& item) { return item.first == lanes_.term; });
  const Range range = indices_.range(uniform);
  const std::int64_t most = std::int64_t{1} << 30;
  const bool fits =
      range.low > -most && range.high < most && std::abs(stride) * lanes_.count < most;
  if (lanes_.count == 0 || stride == 0 || indices_.varies(uniform) || !fits)
    return ops_.binary(op, index_values_.value(a), index_values_.value(b));
  Value* lanes = ops_.binary(BinaryOp::Mul, ops_.steps(b_.getInt32Ty(), lanes_.count),
                             b_.getInt32(static_cast<std::uint32_t>(stride)));
  return ops_.binary(op, lanes, b_.CreateTrunc(index_values_.value(uniform), b_.getInt32Ty()));
}

Value* Emitter::emit_binary(const Binary& e) {
  if (const std::optional<bool> known = indices_.decide(Expr(ExprNode{e})))
    return b_.getInt1(*known);
  const bool compares =
      e.op == BinaryOp::Less || e.op == BinaryOp::LessEqual || e.op == BinaryOp::Equal;
  if (compares && e.a.dtype() == DType::I64)
    return emit_comparison(e.op, indices_.index(e.a), indices_.index(e.b));
  Value* a = emit(e.a);
  Value* b = emit(e.b);
  if (e.op == BinaryOp::Mul && is_float(e.a.dtype())) {
    // A zero in a table is structure: it cancels its factor, also an infinite one.
    const auto x = table_number(e.a, a), y = table_number(e.b, b);
    if (x == 0.0 || y == 1.0) return a;
    if (y == 0.0 || x == 1.0) return b;
  }
  const bool divides = e.op == BinaryOp::Div || e.op == BinaryOp::Mod;
  if (divides && !is_float(e.a.dtype()) && !llvm::isa<llvm::Constant>(b))
    if (Value* active = permission(lanes_of(b)))  // what does not run divides by one
      b = ops_.select(active, b, llvm::ConstantInt::get(b->getType()->getScalarType(), 1));
  return ops_.binary(e.op, a, b);
}

Value* Emitter::emit_product_sum(const Binary& product, Value* sum) {
  Value* a = emit(product.a);
  Value* b = emit(product.b);
  const auto x = table_number(product.a, a), y = table_number(product.b, b);
  if (x == 0.0 || y == 0.0) return sum;
  if (x == 1.0) return ops_.binary(BinaryOp::Add, sum, b);
  if (y == 1.0) return ops_.binary(BinaryOp::Add, sum, a);
  if (x == -1.0) return ops_.binary(BinaryOp::Sub, sum, b);
  if (y == -1.0) return ops_.binary(BinaryOp::Sub, sum, a);
  return ops_.fma(a, b, sum);
}

/// Whether `value` was read under a guard, and so is zero where that guard forbids.
bool Emitter::is_zero_elsewhere(Value* value) const {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value))
    return call->getIntrinsicID() == llvm::Intrinsic::masked_load;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  const auto* pointer =
      load == nullptr ? nullptr : llvm::dyn_cast<llvm::SelectInst>(load->getPointerOperand());
  return pointer != nullptr && pointer->getFalseValue() == zeros_;
}

Value* Emitter::emit_select(const Select& e) {
  if (const std::optional<bool> known = indices_.decide(e.condition))
    return emit(*known ? e.yes : e.no);
  Value* condition = emit(e.condition);
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition))
    return emit(known->isOne() ? e.yes : e.no);
  const auto guarded = [&](Value* own, const Expr& side) {
    Value* outer = guard_;
    guard_ = outer == nullptr ? own : ops_.binary(BinaryOp::And, outer, own);
    Value* value = emit(side);
    guard_ = outer;
    return value;
  };
  const bool no_has_loads = !loads_in(e.no).empty();
  Value* yes = guarded(condition, e.yes);
  Value* no = no_has_loads ? guarded(b_.CreateNot(condition), e.no) : emit(e.no);
  const bool covers_all_lanes = lanes_of(yes) >= lanes_of(condition);
  if (as<Load>(e.yes) != nullptr && is_zero(e.no) && covers_all_lanes && is_zero_elsewhere(yes))
    return yes;
  return ops_.select(condition, yes, no);
}

}  // namespace tessera::codegen
