#include "backend/llvm/arithmetic.h"

#include "backend/llvm/emit_math.h"
#include "base/check.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <limits>
#include <numeric>

namespace tessera::codegen {

using llvm::Value;
using llvm::Intrinsic::ID;

std::int64_t lanes_of(const Value* value) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return type == nullptr ? 0 : type->getNumElements();
}

llvm::Type* Arithmetic::value_type(DType dtype, std::int64_t lanes) const {
  llvm::Type* scalar = dtype == DType::Bool ? b_.getInt1Ty() : stored_type(dtype, 0);
  return lanes == 0 ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes));
}

llvm::Type* Arithmetic::stored_type(DType dtype, std::int64_t lanes) const {
  llvm::Type* scalar = nullptr;
  switch (dtype) {
    case DType::F32:
      scalar = b_.getFloatTy();
      break;
    case DType::I32:
      scalar = b_.getInt32Ty();
      break;
    case DType::I64:
      scalar = b_.getInt64Ty();
      break;
    case DType::Bool:
      scalar = b_.getInt8Ty();
      break;
  }
  return lanes == 0 ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes));
}

Value* Arithmetic::to_value(DType dtype, Value* stored) const {
  if (dtype != DType::Bool) return stored;
  return b_.CreateICmpNE(stored, llvm::Constant::getNullValue(stored->getType()));
}

Value* Arithmetic::to_stored(DType dtype, Value* value) const {
  return dtype != DType::Bool ? value : b_.CreateZExt(value, stored_type(dtype, lanes_of(value)));
}

llvm::Constant* Arithmetic::constant(DType dtype, double value) const {
  llvm::Type* type = value_type(dtype, 0);
  if (dtype == DType::F32)
    return llvm::ConstantFP::get(type, static_cast<double>(static_cast<float>(value)));
  return llvm::ConstantInt::getSigned(type, static_cast<std::int64_t>(value));
}

llvm::Constant* Arithmetic::steps(llvm::Type* integer, std::int64_t lanes) const {
  std::vector<llvm::Constant*> values;
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    values.push_back(llvm::ConstantInt::getSigned(integer, lane));
  return llvm::ConstantVector::get(values);
}

Value* Arithmetic::broadcast(Value* value, std::int64_t lanes) const {
  if (lanes == 0 || lanes_of(value) != 0) return value;
  return b_.CreateVectorSplat(static_cast<unsigned>(lanes), value);
}

Value* Arithmetic::shuffled(Value* value, llvm::ArrayRef<int> lanes) const {
  return b_.CreateShuffleVector(value, lanes);
}

Value* Arithmetic::unary(UnaryOp op, Value* a) const {
  const bool is_fp = a->getType()->isFPOrFPVectorTy();
  const auto intrinsic = [&](ID id) { return b_.CreateUnaryIntrinsic(id, a); };
  switch (op) {
    case UnaryOp::Neg:
      return is_fp ? b_.CreateFNeg(a) : b_.CreateNeg(a);
    case UnaryOp::Abs:
      return is_fp ? intrinsic(llvm::Intrinsic::fabs)
                   : b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, b_.getInt1(false));
    case UnaryOp::Not:
      return b_.CreateNot(a);
    case UnaryOp::Sqrt:
      return intrinsic(llvm::Intrinsic::sqrt);
    case UnaryOp::Rsqrt:
      return b_.CreateFDiv(llvm::ConstantFP::get(a->getType(), 1.0),
                           intrinsic(llvm::Intrinsic::sqrt));
    case UnaryOp::Floor:
      return intrinsic(llvm::Intrinsic::floor);
    case UnaryOp::Ceil:
      return intrinsic(llvm::Intrinsic::ceil);
    case UnaryOp::Round:
      return intrinsic(llvm::Intrinsic::roundeven);
    case UnaryOp::Exp:
      return emit_exp(b_, *this, a);
    case UnaryOp::Log:
      return emit_log(b_, *this, a);
    case UnaryOp::Erf:
      return emit_erf(b_, *this, a);
    case UnaryOp::Tanh:
      return emit_tanh(b_, *this, a);
    case UnaryOp::Sigmoid:
      return emit_sigmoid(b_, *this, a);
    case UnaryOp::Sin:
      return emit_sin(b_, *this, a);
    case UnaryOp::Cos:
      return emit_cos(b_, *this, a);
  }
  fail("a known unary operator");
}

Value* Arithmetic::binary(BinaryOp op, Value* a, Value* b) const {
  const std::int64_t lanes = std::max(lanes_of(a), lanes_of(b));
  a = broadcast(a, lanes);
  b = broadcast(b, lanes);
  return a->getType()->isFPOrFPVectorTy() ? float_binary(op, a, b) : integer_binary(op, a, b);
}

Value* Arithmetic::float_binary(BinaryOp op, Value* a, Value* b) const {
  switch (op) {
    case BinaryOp::Add:
      return b_.CreateFAdd(a, b);
    case BinaryOp::Sub:
      return b_.CreateFSub(a, b);
    case BinaryOp::Mul:
      return b_.CreateFMul(a, b);
    case BinaryOp::Div:
      return b_.CreateFDiv(a, b);
    case BinaryOp::Mod: {  // the sign of a, as fmod
      Value* quotient = b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, b_.CreateFDiv(a, b));
      return fma(b_.CreateFNeg(quotient), b, a);
    }
    case BinaryOp::Min:
      return extremum(false, a, b);
    case BinaryOp::Max:
      return extremum(true, a, b);
    case BinaryOp::Pow:
      return emit_pow(b_, *this, a, b);
    case BinaryOp::Less:
      return b_.CreateFCmpOLT(a, b);
    case BinaryOp::LessEqual:
      return b_.CreateFCmpOLE(a, b);
    case BinaryOp::Equal:
      return b_.CreateFCmpOEQ(a, b);
    case BinaryOp::And:
    case BinaryOp::Or:
      break;
  }
  fail("a float operator");
}

// One instruction each, so nan is treated as the target does: on AArch64 it wins, on RISC-V it
// loses, on x86 the second operand answers. There a constant stands first, so that max(x, 0) of nan
// is nan.
Value* Arithmetic::extremum(bool is_max, Value* a, Value* b) const {
  if (target_.arch == Arch::AArch64)
    return b_.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, a,
                                    b);
  if (target_.arch == Arch::RiscV)
    return b_.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum, a,
                                    b);
  if (llvm::isa<llvm::Constant>(b)) std::swap(a, b);
  return b_.CreateSelect(is_max ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b), a, b);
}

Value* Arithmetic::integer_binary(BinaryOp op, Value* a, Value* b) const {
  switch (op) {
    case BinaryOp::Add:
      return b_.CreateAdd(a, b);
    case BinaryOp::Sub:
      return b_.CreateSub(a, b);
    case BinaryOp::Mul:
      return b_.CreateMul(a, b);
    case BinaryOp::Div:
    case BinaryOp::Mod:
      return floor_division(op, a, b);
    case BinaryOp::Min:
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
    case BinaryOp::Max:
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
    case BinaryOp::Less:
      return b_.CreateICmpSLT(a, b);
    case BinaryOp::LessEqual:
      return b_.CreateICmpSLE(a, b);
    case BinaryOp::Equal:
      return b_.CreateICmpEQ(a, b);
    case BinaryOp::And:
      return b_.CreateAnd(a, b);
    case BinaryOp::Or:
      return b_.CreateOr(a, b);
    case BinaryOp::Pow:
      break;
  }
  fail("an integer operator");
}

Value* Arithmetic::floor_division(BinaryOp op, Value* a, Value* b) const {
  const auto* splat = llvm::dyn_cast<llvm::Constant>(b);
  const auto* divisor = llvm::dyn_cast_or_null<llvm::ConstantInt>(
      splat == nullptr || lanes_of(b) == 0 ? splat : splat->getSplatValue());
  const bool is_div = op == BinaryOp::Div;
  if (divisor != nullptr && divisor->getValue().isPowerOf2()) {
    llvm::Type* type = a->getType();
    if (is_div)
      return b_.CreateAShr(a, llvm::ConstantInt::get(type, divisor->getValue().logBase2()));
    return b_.CreateAnd(a, llvm::ConstantInt::get(type, divisor->getValue() - 1));
  }
  // Truncation and floor differ when the remainder is negative, the divisor being positive.
  Value* rest = b_.CreateSRem(a, b);
  Value* below = b_.CreateICmpSLT(rest, llvm::Constant::getNullValue(a->getType()));
  if (!is_div)
    return b_.CreateAdd(rest,
                        b_.CreateSelect(below, b, llvm::Constant::getNullValue(a->getType())));
  return b_.CreateAdd(b_.CreateSDiv(a, b), b_.CreateSExt(below, a->getType()));
}

Value* Arithmetic::fma(Value* a, Value* b, Value* c) const {
  const std::int64_t lanes = std::max({lanes_of(a), lanes_of(b), lanes_of(c)});
  a = broadcast(a, lanes);
  b = broadcast(b, lanes);
  c = broadcast(c, lanes);
  return b_.CreateIntrinsic(target_.has_fma ? llvm::Intrinsic::fma : llvm::Intrinsic::fmuladd,
                            {a->getType()}, {a, b, c});
}

Value* Arithmetic::select(Value* condition, Value* yes, Value* no) const {
  const std::int64_t lanes = std::max({lanes_of(condition), lanes_of(yes), lanes_of(no)});
  return b_.CreateSelect(condition, broadcast(yes, lanes), broadcast(no, lanes));
}

Value* Arithmetic::cast(DType to, Value* a) const {
  llvm::Type* type = value_type(to, lanes_of(a));
  const bool from_fp = a->getType()->isFPOrFPVectorTy();
  const bool from_bool = a->getType()->isIntOrIntVectorTy(1);
  if (to == DType::Bool) {
    llvm::Constant* zero = llvm::Constant::getNullValue(a->getType());
    return from_fp ? b_.CreateFCmpUNE(a, zero) : b_.CreateICmpNE(a, zero);
  }
  if (to == DType::F32) {
    if (from_fp) return a;
    return from_bool ? b_.CreateUIToFP(a, type) : b_.CreateSIToFP(a, type);
  }
  if (from_fp) return b_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {type, a->getType()}, {a});
  return from_bool ? b_.CreateZExt(a, type) : b_.CreateSExtOrTrunc(a, type);
}

Value* Arithmetic::combine(Reducer reducer, Value* old, Value* value) const {
  switch (reducer) {
    case Reducer::Sum:
      return binary(BinaryOp::Add, old, value);
    case Reducer::Prod:
      return binary(BinaryOp::Mul, old, value);
    case Reducer::Max:
      return binary(BinaryOp::Max, old, value);
    case Reducer::Min:
      return binary(BinaryOp::Min, old, value);
  }
  fail("a known reducer");
}

llvm::Constant* Arithmetic::identity(Reducer reducer, llvm::Type* scalar) const {
  const bool is_max = reducer == Reducer::Max;
  if (reducer == Reducer::Sum) return llvm::Constant::getNullValue(scalar);
  if (scalar->isFloatTy()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return llvm::ConstantFP::get(scalar, reducer == Reducer::Prod ? 1.0
                                         : is_max                 ? -infinity
                                                                  : infinity);
  }
  if (reducer == Reducer::Prod) return llvm::ConstantInt::get(scalar, 1);
  const unsigned bits = scalar->getIntegerBitWidth();
  return llvm::ConstantInt::get(
      scalar, is_max ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits));
}

Value* Arithmetic::reduced(Reducer reducer, Value* vector) const {
  std::int64_t lanes = lanes_of(vector);
  Value* odd = nullptr;  // lanes beyond a power of two, one at a time
  while (lanes > 1) {
    if (lanes % 2 != 0) {
      Value* last = b_.CreateExtractElement(vector, static_cast<std::uint64_t>(lanes - 1));
      odd = odd == nullptr ? last : combine(reducer, odd, last);
      lanes -= 1;
    }
    std::vector<int> low(static_cast<std::size_t>(lanes / 2)), high(low.size());
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), static_cast<int>(lanes / 2));
    vector = combine(reducer, shuffled(vector, low), shuffled(vector, high));
    lanes /= 2;
  }
  Value* all = b_.CreateExtractElement(vector, std::uint64_t{0});
  return odd == nullptr ? all : combine(reducer, all, odd);
}

}  // namespace tessera::codegen
