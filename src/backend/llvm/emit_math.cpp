#include "backend/llvm/emit_math.h"

#include <llvm/IR/Intrinsics.h>

#include <initializer_list>
#include <limits>

namespace tessera::codegen {
namespace {

using llvm::Value;

/// f32 formulas over one shape of operand, scalar or vector.
class Formula {
 public:
  Formula(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* like)
      : b_(b), ops_(ops), type_(like->getType()), bits_(type_->getWithNewType(b.getInt32Ty())) {}

  Value* number(double value) const {
    return llvm::ConstantFP::get(type_, static_cast<double>(static_cast<float>(value)));
  }
  Value* integer(std::int32_t value) const { return llvm::ConstantInt::getSigned(bits_, value); }
  Value* bits(Value* x) const { return b_.CreateBitCast(x, bits_); }
  Value* from_bits(Value* x) const { return b_.CreateBitCast(x, type_); }
  Value* abs(Value* x) const { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value* floor(Value* x) const { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x); }
  Value* fma(Value* x, Value* y, Value* z) const { return ops_.fma(x, y, z); }

  /// Limits x to [low, high]; nan stays nan.
  Value* clamped(Value* x, double low, double high) const {
    x = b_.CreateSelect(b_.CreateFCmpOGT(number(low), x), number(low), x);
    return b_.CreateSelect(b_.CreateFCmpOLT(number(high), x), number(high), x);
  }

  /// Horner's rule, highest power first.
  Value* polynomial(Value* x, std::initializer_list<double> coefficients) const {
    auto c = coefficients.begin();
    Value* sum = number(*c);
    for (++c; c != coefficients.end(); ++c) sum = fma(sum, x, number(*c));
    return sum;
  }

  Value* zero() const { return number(0); }
  Value* nan() const { return number(std::numeric_limits<double>::quiet_NaN()); }
  Value* infinity() const { return number(std::numeric_limits<double>::infinity()); }

 private:
  llvm::IRBuilder<>& b_;
  const Arithmetic& ops_;
  llvm::Type* type_;
  llvm::Type* bits_;
};

// Adding it leaves the nearest integer in the low bits of the mantissa (|x| < 2^22).
constexpr double round_magic = 12582912.0;  // 1.5 * 2^23

/// sin(x + quadrant * pi/2): reduces to [-pi/4, pi/4] by a pi/2 in three parts, of which the
/// products with small integers are exact (Cody and Waite), then picks the sine or the cosine
/// polynomial.
Value* sine_from(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* x, std::int32_t quadrant) {
  const Formula f(b, ops, x);
  Value* shifted = f.fma(x, f.number(0.63661977236758134), f.number(round_magic));
  Value* n = b.CreateFSub(shifted, f.number(round_magic));
  Value* r = f.fma(n, f.number(-1.5703125), x);
  r = f.fma(n, f.number(-4.837512969970703125e-4), r);
  r = f.fma(n, f.number(-7.549789948768648e-8), r);
  Value* z = b.CreateFMul(r, r);
  Value* sine = f.fma(b.CreateFMul(z, r),
                      f.polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}), r);
  Value* cosine = f.polynomial(
      z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2, -0.5, 1.0});
  Value* q = b.CreateAdd(f.bits(shifted), f.integer(quadrant));
  Value* is_odd = b.CreateICmpNE(b.CreateAnd(q, f.integer(1)), f.integer(0));
  Value* sign = b.CreateShl(b.CreateAnd(q, f.integer(2)), f.integer(30));
  return f.from_bits(b.CreateXor(f.bits(b.CreateSelect(is_odd, cosine, sine)), sign));
}

}  // namespace

// exp(x) = 2^(n-1) * 2 exp(r), n the integer nearest to x / ln 2; the polynomial gives 2 exp(r), so
// that n = 128 overflows only when the product does. n = -126 makes the bits of the scale zero and
// gives 0.
Value* emit_exp(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* x) {
  const Formula f(b, ops, x);
  x = f.clamped(x, -87.4, 89.0);
  Value* shifted = f.fma(x, f.number(1.4426950408889634), f.number(round_magic));
  Value* n = b.CreateFSub(shifted, f.number(round_magic));
  Value* r = f.fma(n, f.number(-0.693359375), x);
  r = f.fma(n, f.number(2.12194440e-4), r);
  // Minimax for the relative error (9e-8) on |r| <= ln(2)/2, with the exact value at 0.
  Value* p = f.polynomial(r, {2 * 8.290272689e-3, 2 * 4.189816305e-2, 2 * 1.666763814e-1,
                              2 * 4.999914782e-1, 2 * 9.999997063e-1, 2.0});
  Value* scale = b.CreateAdd(b.CreateShl(f.bits(shifted), f.integer(23)), f.integer(126 << 23));
  return b.CreateFMul(p, f.from_bits(scale));
}

// x = 2^n * m with m in [sqrt(1/2), sqrt(2)); log(x) = n ln 2 + log(m). Denormals are scaled up
// first.
Value* emit_log(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* x) {
  const Formula f(b, ops, x);
  Value* is_small = b.CreateFCmpOLT(x, f.number(1.17549435e-38));
  Value* scaled = b.CreateSelect(is_small, b.CreateFMul(x, f.number(8388608.0)), x);
  Value* offset = b.CreateSelect(is_small, f.number(-23), f.zero());
  const std::int32_t sqrt_half = 0x3f3504f3;
  Value* shifted = b.CreateSub(f.bits(scaled), f.integer(sqrt_half));
  Value* n =
      b.CreateFAdd(b.CreateSIToFP(b.CreateAShr(shifted, f.integer(23)), x->getType()), offset);
  Value* mantissa = b.CreateAdd(b.CreateAnd(shifted, f.integer(0x7fffff)), f.integer(sqrt_half));
  Value* m = b.CreateFSub(f.from_bits(mantissa), f.number(1));
  Value* z = b.CreateFMul(m, m);
  Value* p = f.polynomial(
      m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
          -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Value* y = b.CreateFMul(b.CreateFMul(p, m), z);
  y = f.fma(n, f.number(-2.12194440e-4), y);
  y = f.fma(z, f.number(-0.5), y);
  y = f.fma(n, f.number(0.693359375), b.CreateFAdd(m, y));
  y = b.CreateSelect(b.CreateFCmpOEQ(x, f.infinity()), x, y);
  y = b.CreateSelect(b.CreateFCmpOEQ(x, f.zero()), b.CreateFNeg(f.infinity()), y);
  return b.CreateSelect(b.CreateFCmpULT(x, f.zero()), f.nan(), y);  // and nan itself
}

// Odd rational functions, as in Eigen; constant beyond the clamp.
Value* emit_erf(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* x) {
  const Formula f(b, ops, x);
  x = f.clamped(x, -4.0, 4.0);
  Value* z = b.CreateFMul(x, x);
  Value* p = f.polynomial(
      z, {-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
          -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02});
  Value* q = f.polynomial(z, {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
                              -7.37332916720468e-03, -1.42647390514189e-02});
  return f.clamped(b.CreateFDiv(b.CreateFMul(x, p), q), -1.0, 1.0);
}

Value* emit_tanh(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* x) {
  const Formula f(b, ops, x);
  x = f.clamped(x, -9.0, 9.0);
  Value* z = b.CreateFMul(x, x);
  Value* p = f.polynomial(
      z, {-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
          1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03});
  Value* q = f.polynomial(
      z, {1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03});
  return f.clamped(b.CreateFDiv(b.CreateFMul(x, p), q), -1.0, 1.0);
}

Value* emit_sigmoid(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* x) {
  const Formula f(b, ops, x);
  return b.CreateFDiv(f.number(1), b.CreateFAdd(f.number(1), emit_exp(b, ops, b.CreateFNeg(x))));
}

Value* emit_sin(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* x) {
  return sine_from(b, ops, x, 0);
}
Value* emit_cos(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* x) {
  return sine_from(b, ops, x, 1);
}

// exp(y log|x|), negated for an odd integer y of a negative x. The usual constant exponents need
// neither.
Value* emit_pow(llvm::IRBuilder<>& b, const Arithmetic& ops, Value* x, Value* y) {
  const Formula f(b, ops, x);
  if (y == f.number(2)) return b.CreateFMul(x, x);
  if (y == f.number(3)) return b.CreateFMul(b.CreateFMul(x, x), x);
  if (y == f.number(-1)) return b.CreateFDiv(f.number(1), x);
  Value* magnitude = emit_exp(b, ops, b.CreateFMul(y, emit_log(b, ops, f.abs(x))));
  Value* is_integer = b.CreateFCmpOEQ(f.floor(y), y);
  Value* half = b.CreateFMul(y, f.number(0.5));
  Value* is_odd = b.CreateAnd(is_integer, b.CreateFCmpUNE(f.floor(half), half));
  Value* is_negative = b.CreateICmpSLT(f.bits(x), f.integer(0));  // also -0
  Value* signed_value =
      b.CreateSelect(b.CreateAnd(is_negative, is_odd), b.CreateFNeg(magnitude), magnitude);
  Value* has_value = b.CreateOr(is_integer, b.CreateFCmpUGE(x, f.zero()));
  Value* defined = b.CreateSelect(has_value, signed_value, f.nan());
  Value* is_one = b.CreateOr(b.CreateFCmpOEQ(y, f.zero()), b.CreateFCmpOEQ(x, f.number(1)));
  return b.CreateSelect(is_one, f.number(1), defined);
}

}  // namespace tessera::codegen
