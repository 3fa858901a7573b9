#pragma once

#include "ir/computation.h"
#include "ir/expr.h"
#include "target/target.h"

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace tessera::codegen {

/// Lanes of a value, 0 for a scalar.
std::int64_t lanes_of(const llvm::Value* value);

/// Arithmetic as instructions. A scalar operand beside a vector is broadcast. Bool values are i1.
class Arithmetic {
 public:
  Arithmetic(llvm::IRBuilder<>& builder, const Target& target) : b_(builder), target_(target) {}

  /// As computed with; a vector when `lanes` is not 0.
  llvm::Type* value_type(DType dtype, std::int64_t lanes) const;
  /// As held in memory: bool is a byte.
  llvm::Type* stored_type(DType dtype, std::int64_t lanes) const;
  llvm::Value* to_value(DType dtype, llvm::Value* stored) const;
  llvm::Value* to_stored(DType dtype, llvm::Value* value) const;

  llvm::Constant* constant(DType dtype, double value) const;
  /// 0, 1, 2, .. of the given integer type.
  llvm::Constant* steps(llvm::Type* integer, std::int64_t lanes) const;

  llvm::Value* broadcast(llvm::Value* value, std::int64_t lanes) const;
  /// The vector with lane i taken from lane lanes[i] of `value`.
  llvm::Value* shuffled(llvm::Value* value, llvm::ArrayRef<int> lanes) const;

  llvm::Value* unary(UnaryOp op, llvm::Value* a) const;
  llvm::Value* binary(BinaryOp op, llvm::Value* a, llvm::Value* b) const;
  /// a * b + c, rounded once where the target can.
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) const;
  llvm::Value* select(llvm::Value* condition, llvm::Value* yes, llvm::Value* no) const;
  /// Floats saturate when they become integers.
  llvm::Value* cast(DType to, llvm::Value* a) const;

  llvm::Value* combine(Reducer reducer, llvm::Value* old, llvm::Value* value) const;
  llvm::Constant* identity(Reducer reducer, llvm::Type* scalar) const;
  /// All lanes of `vector` reduced, as a tree.
  llvm::Value* reduced(Reducer reducer, llvm::Value* vector) const;

 private:
  llvm::Value* float_binary(BinaryOp op, llvm::Value* a, llvm::Value* b) const;
  llvm::Value* integer_binary(BinaryOp op, llvm::Value* a, llvm::Value* b) const;
  llvm::Value* floor_division(BinaryOp op, llvm::Value* a, llvm::Value* b) const;
  llvm::Value* extremum(bool is_max, llvm::Value* a, llvm::Value* b) const;

  llvm::IRBuilder<>& b_;
  const Target& target_;
};

}  // namespace tessera::codegen
