#pragma once

#include <string>

namespace tessera {

/// C[5, 13] = A[5, 9] * B[9, 13]: a 4x8 tile in registers, tails in both directions.
inline const std::string matmul_with_tails = R"(program matmul lowered
input A f32[5, 9] layout [0 1]
constant B f32[9, 13] layout [1/8 0 1%8]
output C f32[5, 13] layout [0 1]
body
for i.0 in 2 {
  for j.0 in 2 {
    alloc acc f32[4, 8] register layout [0 1] {
      for i.1 in min(4, 5 - i.0 * 4) unroll {
        for j.1 in min(8, 13 - j.0 * 8) vector 8 {
          acc[i.1 * 8 + j.1] = 0.0
        }
      }
      for k in 9 {
        for i.1 in min(4, 5 - i.0 * 4) unroll {
          for j.1 in min(8, 13 - j.0 * 8) vector 8 {
            acc[i.1 * 8 + j.1] += A[(i.0 * 4 + i.1) * 9 + k] * B[j.0 * 72 + k * 8 + j.1]
          }
        }
      }
      for i.1 in min(4, 5 - i.0 * 4) unroll {
        for j.1 in min(8, 13 - j.0 * 8) vector 8 {
          C[(i.0 * 4 + i.1) * 13 + j.0 * 8 + j.1] = max(acc[i.1 * 8 + j.1], 0.0)
        }
      }
    }
  }
}
)";

/// A 3x3 convolution over a 6x7 image with a border of one, out of which no load may reach.
inline const std::string padded_convolution = R"(program conv lowered
input X f32[6, 7] layout [0 1]
constant W f32[3, 3] layout [0 1]
output Y f32[6, 7] layout [0 1]
body
for h in 6 {
  for w in 7 vector 8 {
    Y[h * 7 + w] = 0.0
  }
  for kh in 3 {
    for kw in 3 {
      for w in 7 vector 8 {
        Y[h * 7 + w] += select(1 <= h + kh && h + kh < 7 && 1 <= w + kw && w + kw < 8, X[(h + kh - 1) * 7 + w + kw - 1], 0.0) * W[kh * 3 + kw]
      }
    }
  }
}
)";

/// Rows turned around through thread scratch.
inline const std::string parallel_rows = R"(program parallel lowered
input A f32[3, 40] layout [0 1]
output C f32[3, 40] layout [0 1]
body
for n in 3 {
  for i in 5 parallel {
    alloc row f32[8] stack layout [0] {
      for v in 8 vector 8 {
        row[v] = A[n * 40 + i * 8 + v] * 2.0
      }
      for j in 8 {
        C[n * 40 + i * 8 + j] = row[7 - j]
      }
    }
  }
}
)";

}  // namespace tessera
