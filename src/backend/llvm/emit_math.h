#pragma once

#include "backend/llvm/arithmetic.h"

namespace tessera::codegen {

/// Functions of f32 scalars and vectors as polynomials, without branches, tables or library calls.
/// Largest errors, against the exact value:
///   exp      2e-7 relative; below -86.9 it is 0, above 88.72 inf
///   log      2e-7 relative away from 1, denormals included
///   erf      4e-7 absolute
///   tanh     4e-7 absolute
///   sigmoid  3e-7 absolute
///   sin, cos 3e-7 absolute for |x| <= 1e4
///   pow      1e-5 relative; a negative base needs an integer exponent, else nan
llvm::Value* emit_exp(llvm::IRBuilder<>& b, const Arithmetic& ops, llvm::Value* x);
llvm::Value* emit_log(llvm::IRBuilder<>& b, const Arithmetic& ops, llvm::Value* x);
llvm::Value* emit_erf(llvm::IRBuilder<>& b, const Arithmetic& ops, llvm::Value* x);
llvm::Value* emit_tanh(llvm::IRBuilder<>& b, const Arithmetic& ops, llvm::Value* x);
llvm::Value* emit_sigmoid(llvm::IRBuilder<>& b, const Arithmetic& ops, llvm::Value* x);
llvm::Value* emit_sin(llvm::IRBuilder<>& b, const Arithmetic& ops, llvm::Value* x);
llvm::Value* emit_cos(llvm::IRBuilder<>& b, const Arithmetic& ops, llvm::Value* x);
llvm::Value* emit_pow(llvm::IRBuilder<>& b, const Arithmetic& ops, llvm::Value* x, llvm::Value* y);

}  // namespace tessera::codegen
