#pragma once

#include "ir/computation.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera::bench {

/// `a[batch, m, k] * b[batch, k, n]`, the latter stored as [n, k] when transposed.
struct Matmul {
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  bool is_b_constant = true;
  bool is_b_transposed = false;
};

/// Square image and window, one image; bias and ReLU follow.
struct Conv {
  std::int64_t in_channels = 1, size = 1, out_channels = 1;
  std::int64_t window = 3, stride = 1, padding = 1, dilation = 1, groups = 1;

  std::int64_t out_size() const {
    return (size + 2 * padding - dilation * (window - 1) - 1) / stride + 1;
  }
};

/// A function of a matrix, bound by memory: "softmax", "layernorm", "gelu".
struct Rows {
  std::string_view family;
  std::int64_t rows = 1, cols = 1;
};

using Work = std::variant<Matmul, Conv, Rows>;

/// One line of the table for each number of threads.
struct Case {
  std::string group;
  std::string shape;
  Work work;
  std::string algorithm = "any";  // "direct", "winograd"
  bool is_memory_bound = false;
};

/// Every shape, group by group.
std::vector<Case> all_cases();

/// `conv 3x3 56^2x64 winograd`.
std::string name_of(const Case& c);

/// Whether rows of the case may use the algorithm that a Space calls `option`.
bool admits(const Case& c, std::string_view option);

/// What `tessera` computes for it. Operands in order: a, b; x, w, bias; x, scale, bias.
Computation computation_of(const Work& work);

/// Two for each multiply-add of a matmul or a direct convolution, whatever the algorithm and the
/// epilogue; the arithmetic as written for functions of a matrix.
double flops_of(const Work& work);

}  // namespace tessera::bench
