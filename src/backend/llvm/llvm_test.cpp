#include "backend/llvm/expect_agreement.h"
#include "backend/llvm/sample_programs.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Llvm, MatmulKeepsItsTileInRegistersAndMasksItsTails) { expect_agreement(matmul_with_tails); }

TEST(Llvm, ConstantTailsOfVectorLoops) {
  for (const std::string extent : {"1", "2", "3", "5", "7", "8"}) {
    expect_agreement(
        "program tail lowered\ninput A f32[16, " + extent + "] layout [0 1]\noutput C f32[16, " +
        extent + "] layout [0 1]\nbody\nfor i in 16 {\nfor v in " + extent + " vector 8 {\nC[i * " +
        extent + " + v] = A[i * " + extent + " + v] * 2.0\n}\n}\n");
  }
}

TEST(Llvm, VariableTailsOfVectorLoops) {
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

TEST(Llvm, VectorLoopsThatMayRunNoLane) {
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

TEST(Llvm, GuardedLoadsOfAPaddedConvolution) { expect_agreement(padded_convolution); }

TEST(Llvm, GuardedLoadsWithoutVectors) {
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

TEST(Llvm, GuardedLoadsUnderOneConditionForAllLanes) {
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

TEST(Llvm, HorizontalReductionsLeaveOutMaskedLanes) {
  for (const std::string reducer : {"+=", "max=", "min=", "*="}) {
    expect_agreement(
        "program reduce lowered\ninput A f32[16, 13] layout [0 1]\noutput C f32[16] layout "
        "[0]\nbody\n"
        "for i in 16 {\nfor j in 2 {\nfor v in min(8, 13 - j * 8) vector 8 {\nC[i] " +
        reducer + " A[i * 13 + j * 8 + v]\n}\n}\n}\n");
    expect_agreement(
        "program reduce lowered\ninput A i32[16, 5] layout [0 1]\noutput C i32[16] layout "
        "[0]\nbody\n"
        "for i in 16 {\nfor v in 5 vector 8 {\nC[i] " +
        reducer + " A[i * 5 + v]\n}\n}\n");
  }
}

TEST(Llvm, HorizontalReductionOfARegister) {
  expect_agreement(R"(program dot lowered
input A f32[37] layout [0]
input B f32[37] layout [0]
output C f32[1] layout [0]
body
alloc part f32[8] register layout [0] {
  for v in 8 vector 8 {
    part[v] = 0.0
  }
  for i in 5 {
    for v in min(8, 37 - i * 8) vector 8 {
      part[v] += A[i * 8 + v] * B[i * 8 + v]
    }
  }
  C[0] = 0.0
  for v in 8 vector 8 {
    C[0] += part[v]
  }
}
)");
}

TEST(Llvm, RegistersPickedElementByElement) {
  expect_agreement(R"(program lanes lowered
input A f32[8] layout [0]
output C f32[8] layout [0]
body
alloc r f32[8] register layout [0] {
  for v in 8 vector 8 {
    r[v] = A[v]
  }
  r[3] = r[5] + 1.0
  for u in 4 unroll {
    r[u * 2] = r[u] * 2.0
  }
  for v in 8 vector 8 {
    C[v] = r[v]
  }
}
)");
}

TEST(Llvm, RegistersThatFitNoVectorLiveInMemory) {
  expect_agreement(R"(program crossed lowered
input A f32[4, 4] layout [0 1]
output C f32[4, 4] layout [0 1]
body
alloc t f32[4, 4] register layout [0 1] {
  for i in 4 unroll {
    for v in 4 vector 4 {
      t[i * 4 + v] = A[i * 4 + v]
    }
  }
  for i in 4 unroll {
    for v in 4 vector 4 {
      C[i * 4 + v] = t[v * 4 + i]
    }
  }
}
)");
}

TEST(Llvm, RegistersOfOneLane) {
  expect_agreement(R"(program columns lowered
input A f32[6, 5] layout [0 1]
output C f32[5] layout [0]
body
for v in 5 vector 8 {
  alloc sum f32[1] register layout [0] {
    sum[0] = 0.0
    for i in 6 {
      sum[0] += A[i * 5 + v]
    }
    C[v] = sum[0]
  }
}
)");
}

TEST(Llvm, RegistersThroughBranches) {
  expect_agreement(R"(program branches lowered
input A f32[10] layout [0]
output C f32[10] layout [0]
body
alloc r f32[2] register layout [0] {
  r[0] = 0.0
  r[1] = 1.0
  for i in 10 {
    if i < 4 {
      r[0] += A[i]
    } else {
      if A[i] < 0.0 {
        r[1] = A[i]
      }
    }
    C[i] = r[0] + r[1]
  }
}
)");
}

TEST(Llvm, RegistersThroughLoopsThatMayBeEmpty) {
  expect_agreement(R"(program triangle lowered
input A f32[6, 6] layout [0 1]
output C f32[6] layout [0]
body
for i in 6 {
  alloc r f32[1] register layout [0] {
    r[0] = 0.5
    for j in i {
      r[0] += A[i * 6 + j]
    }
    C[i] = r[0]
  }
}
)");
}

TEST(Llvm, BranchesThatDifferBetweenLanes) {
  expect_agreement(R"(program diverge lowered
input A f32[16] layout [0]
output C f32[16] layout [0]
output D f32[16] layout [0]
body
for i in 2 {
  for v in 8 vector 8 {
    if A[i * 8 + v] < 0.0 {
      C[i * 8 + v] = sqrt(abs(A[i * 8 + v]))
    } else {
      D[i * 8 + v] += A[i * 8 + v]
    }
  }
}
)");
}

TEST(Llvm, StridesBackwardsAndByTable) {
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

TEST(Llvm, NearStridesArePickedOutOfOneRun) {
  for (const std::string stride : {"2", "3", "4", "-1", "-2"}) {
    expect_agreement(
        "program picks lowered\ninput A f32[50] layout [0]\noutput C f32[2, 8] layout [0 1]\n"
        "output D f32[5] layout [0]\nbody\nfor i in 2 {\nfor v in 8 vector 8 {\nC[i * 8 + v] = A[i "
        "* 3 + 18 + v * " +
        stride + "]\n}\n}\nfor v in 5 vector 8 {\nD[v] = A[18 + v * " + stride + "]\n}\n");
  }
}

TEST(Llvm, StoresOfOneValueForAllLanes) {
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

TEST(Llvm, GathersUnderAMask) {
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

TEST(Llvm, OffsetsThatAreLinearOnlyWithinTheLanes) {
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

TEST(Llvm, ParallelLoopsCaptureWhatIsAround) { expect_agreement(parallel_rows); }

TEST(Llvm, AllocationsShareMemoryOnlyOneAfterTheOther) {
  expect_agreement(R"(program arena lowered
input A f32[40] layout [0]
output C f32[40] layout [0]
body
alloc whole f32[40] global layout [0] {
  for i in 5 parallel {
    alloc first f32[8] stack layout [0] {
      for v in 8 vector 8 {
        first[v] = A[i * 8 + v] + 1.0
      }
      for v in 8 vector 8 {
        whole[i * 8 + v] = first[v]
      }
    }
    alloc second f32[8] stack layout [0] {
      for v in 8 vector 8 {
        second[v] = whole[i * 8 + v] * 3.0
      }
      for v in 8 vector 8 {
        whole[i * 8 + v] += second[v]
      }
    }
  }
  alloc outside f32[40] stack layout [0] {
    for j in 40 {
      outside[j] = whole[39 - j]
    }
    for j in 40 {
      C[j] = outside[j]
    }
  }
}
)");
}

TEST(Llvm, RegistersAroundAParallelLoop) {
  expect_agreement(R"(program shared lowered
input A f32[8] layout [0]
output C f32[16] layout [0]
body
alloc r f32[8] register layout [0] {
  for v in 8 vector 8 {
    r[v] = A[v]
  }
  for i in 2 parallel {
    for v in 8 vector 8 {
      C[i * 8 + v] = r[v]
    }
  }
}
)");
}

TEST(Llvm, IntegersAndBooleans) {
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

TEST(Llvm, CastsOfFloats) {
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

TEST(Llvm, DivisionsBehindAGuard) {
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

TEST(Llvm, ZerosAndOnesOfTables) {
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

TEST(Llvm, PrefetchesPastTheEnd) {
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

TEST(Llvm, VectorLoopsOverInnerLoopsOfUnequalLength) {
  expect_agreement(R"(program uneven lowered
input A f32[8, 8] layout [0 1]
output C f32[8] layout [0]
body
for v in 8 vector 8 {
  C[v] = 0.0
  for k in v + 1 {
    C[v] += A[v * 8 + k]
  }
}
)");
}

TEST(Llvm, RefusesWhatItCannotEmit) {
  const Program program = parsed(R"(program unbounded lowered
output C i64[8] layout [0]
body
for i in 8 {
  for u in 8 / (i + 1) unroll {
    C[i] = u
  }
}
)");
  EXPECT_EQ(llvm_backend()->compile(program, detect_host()).error().message,
            "unbounded: unrolled loop u: extent has no constant bound");
  Program scheduled = parsed(matmul_with_tails);
  scheduled.form = Form::Scheduled;
  EXPECT_EQ(llvm_backend()->compile(scheduled, detect_host()).error().message,
            "matmul: expected a lowered program");
}

}  // namespace
}  // namespace tessera
