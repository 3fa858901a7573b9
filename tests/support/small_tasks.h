#pragma once

#include "ir/computation.h"

#include <cstdint>

namespace tessera {

/// C[i, j] = sum(k) A[i, k] * B[k, j], the weights B constant.
Computation matmul(std::int64_t m, std::int64_t n, std::int64_t k);

/// D[i, j] = max(C[i, j], 0), where C is that of `matmul`.
Computation matmul_relu(std::int64_t m, std::int64_t n, std::int64_t k);

/// C[n, o, y, x] = sum(c, r, s) I[n, c, y + r - pad, x + s - pad] * W[o, c, r, s]: 3x3, stride 1,
/// constant weights.
struct ConvSizes {
  std::int64_t images = 1;
  std::int64_t inputs = 4;
  std::int64_t outputs = 4;
  std::int64_t size = 6;  // of the image, both ways
  std::int64_t pad = 1;
};
Computation conv(const ConvSizes& sizes);

/// D[i, j] = exp(X[i, j] - max) / sum along j, as the stages M, E, S and D.
Computation softmax(std::int64_t rows, std::int64_t columns);

/// S[i] = sum(k) X[i, k].
Computation row_sum(std::int64_t rows, std::int64_t columns);

/// D[i] = exp(A[i]) * 2, as the stages P and D.
Computation doubled_exp(std::int64_t extent);

}  // namespace tessera
