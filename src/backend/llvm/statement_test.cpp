#include "backend/llvm/expect_agreement.h"
#include "backend/llvm/sample_programs.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(LlvmStatement, MatmulKeepsItsTileInRegistersAndMasksItsTails) {
  expect_agreement(matmul_with_tails);
}

TEST(LlvmStatement, HorizontalReductionsLeaveOutMaskedLanes) {
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

TEST(LlvmStatement, HorizontalReductionOfARegister) {
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

TEST(LlvmStatement, RegistersPickedElementByElement) {
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

TEST(LlvmStatement, RegistersThatFitNoVectorLiveInMemory) {
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

TEST(LlvmStatement, RegistersOfOneLane) {
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

TEST(LlvmStatement, RegistersOfOneLaneThatSayWhereToReadAndWrite) {
  expect_agreement(R"(program lanes lowered
input I i64[9] layout [0]
input J i32[9] layout [0]
input A f32[9, 4] layout [0 1]
output C f32[9, 9] layout [0 1]
output D f32[9, 4] layout [0 1]
output E f32[9] layout [0]
body
for i in 9 {
  for v in 9 vector 16 {
    alloc p i64[1] register layout [0] {
      p[0] = min(max(I[v], 0), 3)
      prefetch A[i * 4 + p[0]]
      C[i * 9 + v] = A[i * 4 + p[0]]
    }
    alloc q i32[1] register layout [0] {
      q[0] = J[v]
      D[v * 4 + min(max(i64(q[0]), 0), 3)] = A[v]
      E[v] = select(min(max(i64(q[0]), 0), 3) + v < 5, 1.0, 2.0)
    }
  }
}
)");
}

TEST(LlvmStatement, RegistersThroughBranches) {
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

TEST(LlvmStatement, RegistersThroughLoopsThatMayBeEmpty) {
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

TEST(LlvmStatement, BranchesThatDifferBetweenLanes) {
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

TEST(LlvmStatement, ParallelLoopsCaptureWhatIsAround) { expect_agreement(parallel_rows); }

TEST(LlvmStatement, AllocationsShareMemoryOnlyOneAfterTheOther) {
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

TEST(LlvmStatement, RegistersAroundAParallelLoop) {
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

TEST(LlvmStatement, VectorLoopsOverInnerLoopsOfUnequalLength) {
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

TEST(LlvmStatement, RefusesWhatItCannotEmit) {
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
