#include "backend/llvm/expect_agreement.h"
#include "backend/llvm/sample_programs.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(LlvmAccess, ConstantTailsOfVectorLoops) {
  for (const std::string extent : {"1", "2", "3", "5", "7", "8"}) {
    expect_agreement(
        "program tail lowered\ninput A f32[16, " + extent + "] layout [0 1]\noutput C f32[16, " +
        extent + "] layout [0 1]\nbody\nfor i in 16 {\nfor v in " + extent + " vector 8 {\nC[i * " +
        extent + " + v] = A[i * " + extent + " + v] * 2.0\n}\n}\n");
  }
}

TEST(LlvmAccess, VariableTailsOfVectorLoops) {
  expect_agreement(R"(program tail lowered
input A f32[16, 13] layout [0 1]
output C f32[16, 13] layout [0 1]
body
for i in 16 {
  for j in 2 {
    for v in min(8, 13 - j * 8) vector 8 {
      C[i * 13 + j * 8 + v] += A[i * 13 + j * 8 + v]
    }
  }
}
)");
}

TEST(LlvmAccess, VectorLoopsThatMayRunNoLane) {
  expect_agreement(R"(program none lowered
input A f32[4] layout [0]
output C f32[4] layout [0]
output S f32[2] layout [0]
body
for i in 8 {
  for v in max(0, 3 - i) vector 4 {
    C[v] += A[v]
    S[0] += A[v]
    S[1] = A[i - 0]
  }
}
)");
}

TEST(LlvmAccess, GuardedLoadsOfAPaddedConvolution) { expect_agreement(padded_convolution); }

TEST(LlvmAccess, GuardedLoadsWithoutVectors) {
  expect_agreement(R"(program guarded lowered
input X f32[8] layout [0]
output Y f32[10] layout [0]
output Z f32[10] layout [0]
body
for i in 10 {
  Y[i] = select(1 <= i && i < 9, X[i - 1], 0.0)
  Z[i] = select(i < 2, 5.0, select(i < 8, X[i] + 1.0, X[i - 8] * 2.0))
}
)");
}

TEST(LlvmAccess, GuardedLoadsUnderOneConditionForAllLanes) {
  expect_agreement(R"(program rows lowered
input X f32[4, 8] layout [0 1]
output Y f32[6, 8] layout [0 1]
body
for i in 6 {
  for v in 8 vector 8 {
    Y[i * 8 + v] = select(1 <= i && i < 5, X[i * 8 + v - 8], -1.0)
  }
}
)");
}

TEST(LlvmAccess, StridesBackwardsAndByTable) {
  expect_agreement(R"(program strides lowered
input A f32[32] layout [0]
table T i64[4] = [3, 0, 2, 1]
output C f32[8] layout [0]
output D f32[8] layout [0]
output E f32[32] layout [0]
output F f32[8] layout [0]
body
for v in 8 vector 8 {
  C[v] = A[v * 3 + 2]
  D[v] = A[7 - v]
  E[v * 4 + 1] = A[v]
  F[v] = A[T[v % 4] * 2 + v / 4]
}
)");
}

TEST(LlvmAccess, NearStridesArePickedOutOfOneRun) {
  for (const std::string stride : {"2", "3", "4", "-1", "-2"}) {
    expect_agreement(
        "program picks lowered\ninput A f32[50] layout [0]\noutput C f32[2, 8] layout [0 1]\n"
        "output D f32[5] layout [0]\nbody\nfor i in 2 {\nfor v in 8 vector 8 {\nC[i * 8 + v] = A[i "
        "* 3 + 18 + v * " +
        stride + "]\n}\n}\nfor v in 5 vector 8 {\nD[v] = A[18 + v * " + stride + "]\n}\n");
  }
}

TEST(LlvmAccess, StoresOfOneValueForAllLanes) {
  expect_agreement(R"(program once lowered
input A f32[4] layout [0]
output C f32[4] layout [0]
output D f32[3] layout [0]
body
for i in 4 {
  for v in min(2, 4 - i) vector 4 {
    C[i] = A[i] * 2.0
    D[v] = A[i] + f32(v)
    D[2] = f32(v)
  }
}
)");
}

TEST(LlvmAccess, ReadsSeeTheLastWriteToTheirElements) {
  expect_agreement(R"(program overlaps lowered
input A f32[16] layout [0]
output C f32[6, 8] layout [0 1]
body
alloc t f32[16] stack layout [0] {
  for v in 8 vector 8 {
    t[v] = A[v]
  }
  for v in 8 vector 8 {
    t[v + 8] = A[v + 8]
  }
  t[3] = 5.0
  for v in 8 vector 8 {
    C[v] = t[v]
  }
  for v in 8 vector 8 {
    t[v + 4] = A[v] + 1.0
  }
  for v in 8 vector 8 {
    C[v + 8] = t[v + 8]
  }
  for i in 4 {
    t[i] = 1.0
    t[3 - i] = 2.0
    C[i + 16] = t[i]
    if i < 2 {
      t[i] = 3.0
    }
    C[i + 24] = t[i]
    for j in i + 1 {
      t[j] = 4.0
    }
    C[i + 32] = t[i]
  }
  for v in 5 vector 8 {
    t[v] = 7.0
  }
  for v in 8 vector 8 {
    C[v + 40] = t[v]
  }
}
)");
}

TEST(LlvmAccess, ScratchThatIsReadBackAtOnceNeedsNoMemory) {
  const std::string text = R"(program scratch lowered
input A f32[8] layout [0]
output C f32[8] layout [0]
body
alloc t f32[8] stack layout [0] {
  for v in 8 vector 8 {
    t[v] = A[v] * 2.0
  }
  for v in 8 vector 8 {
    C[v] = t[v] + 1.0
  }
}
)";
  expect_agreement(text);
  const auto code = llvm_backend()->code(parsed(text), detect_host(), CodeText::Llvm);
  ASSERT_TRUE(code);
  EXPECT_EQ(code->find("store"), code->rfind("store")) << *code;
}

TEST(LlvmAccess, GathersUnderAMask) {
  expect_agreement(R"(program gather lowered
input I i64[5] layout [0]
input A f32[8] layout [0]
output C f32[5] layout [0]
output H f32[8] layout [0]
body
for v in 5 vector 8 {
  C[v] = A[I[v]]
  H[I[v]] += 1.0
}
)");
}

TEST(LlvmAccess, OffsetsThatAreLinearOnlyWithinTheLanes) {
  expect_agreement(R"(program blocked lowered
input A f32[3, 32] layout [1/16 0 1%16]
output C f32[3, 32] layout [0 1]
body
for i in 3 {
  for j in 4 {
    for v in 8 vector 8 {
      C[i * 32 + j * 8 + v] = A[(j * 8 + v) / 16 * 48 + i * 16 + (j * 8 + v) % 16]
    }
  }
}
)");
}

TEST(LlvmAccess, IntegersAndBooleans) {
  expect_agreement(R"(program integers lowered
input I i32[11] layout [0]
input L i64[11] layout [0]
input B bool[11] layout [0]
output X i32[11] layout [0]
output Y i64[11] layout [0]
output Z bool[11] layout [0]
output F f32[11] layout [0]
body
for i in 2 {
  for v in min(8, 11 - i * 8) vector 8 {
    X[i * 8 + v] = (I[i * 8 + v] - i32(4)) / i32(3) + (I[i * 8 + v] - i32(5)) % i32(4)
    Y[i * 8 + v] = max(L[i * 8 + v] * 3 - 7, v) / (L[i * 8 + v] + 1)
    Z[i * 8 + v] = B[i * 8 + v] && L[i * 8 + v] < 4 || !B[i * 8 + v] && I[i * 8 + v] == i32(2)
    F[i * 8 + v] = select(B[i * 8 + v], f32(I[i * 8 + v]), f32(L[i * 8 + v]) + f32(v))
  }
}
)");
}

TEST(LlvmAccess, CastsOfFloats) {
  expect_agreement(R"(program casts lowered
input A f32[16] layout [0]
output I i32[16] layout [0]
output L i64[16] layout [0]
output B bool[16] layout [0]
output F f32[16] layout [0]
body
for i in 2 {
  for v in 8 vector 8 {
    I[i * 8 + v] = i32(A[i * 8 + v] * 100.0)
    L[i * 8 + v] = i64(A[i * 8 + v] * -1000.0)
    B[i * 8 + v] = bool(floor(A[i * 8 + v]))
    F[i * 8 + v] = round(A[i * 8 + v] * 5.0) + ceil(A[i * 8 + v]) - (A[i * 8 + v] * 9.0) % 2.0
  }
}
)");
}

TEST(LlvmAccess, DivisionsBehindAGuard) {
  expect_agreement(R"(program divide lowered
input L i64[8] layout [0]
output C i64[8] layout [0]
output D i64[8] layout [0]
body
for v in 8 vector 8 {
  C[v] = select(0 < L[v], 100 / L[v], -1)
}
for i in 8 {
  D[i] = select(0 < L[i], 100 % L[i], -1)
}
)");
}

TEST(LlvmAccess, ZerosAndOnesOfTables) {
  expect_agreement(R"(program transform lowered
input A f32[3, 8] layout [0 1]
table T f32[2, 3] = [0.0, 1.0, -1.0, 0.5, 0.0, 1.0]
output C f32[2, 8] layout [0 1]
body
for i in 2 unroll {
  for v in 8 vector 8 {
    C[i * 8 + v] = 0.0
  }
  for k in 3 unroll {
    for v in 8 vector 8 {
      C[i * 8 + v] += T[i * 3 + k] * A[k * 8 + v]
    }
  }
}
)");
}

TEST(LlvmAccess, LanesThatDoNotRunLieBeyondATable) {
  expect_agreement(R"(program tail lowered
input A f32[16] layout [0]
table T i64[6] = [3, 0, 2, 1, 5, 4]
output C f32[6] layout [0]
body
for j in 2 {
  for v in min(4, 6 - j * 4) vector 4 {
    C[j * 4 + v] = A[T[(j * 4 + v) / 1] * 2]
  }
}
for v in 6 vector 8 {
  C[v] += A[T[v]]
}
)");
}

TEST(LlvmAccess, PrefetchesPastTheEnd) {
  expect_agreement(R"(program ahead lowered
input A f32[16] layout [0]
output C f32[16] layout [0]
body
for i in 16 {
  prefetch A[i + 100]
  C[i] = A[i]
}
)");
}

}  // namespace
}  // namespace tessera
