#include "support/small_tasks.h"

#include "base/check.h"
#include "ir/text.h"

#include <map>
#include <string>

namespace tessera {
namespace {

/// The computation of `text`, in which each `$x` stands for a size.
Computation parsed(std::string text, const std::map<char, std::int64_t>& sizes) {
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at))
    text.replace(at, 2, std::to_string(sizes.at(text[at + 1])));
  Result<Computation> computation = parse_computation(text);
  check(computation.has_value(), computation ? "" : computation.error().message);
  return *std::move(computation);
}

}  // namespace

Computation matmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  return parsed(R"(computation matmul
input A f32[$m, $k]
constant B f32[$k, $n]
stage C f32[i:$m, j:$n] = sum[k:$k] A[i, k] * B[k, j]
output C
)",
                {{'m', m}, {'n', n}, {'k', k}});
}

Computation matmul_relu(std::int64_t m, std::int64_t n, std::int64_t k) {
  return parsed(R"(computation matmul_relu
input A f32[$m, $k]
constant B f32[$k, $n]
stage C f32[i:$m, j:$n] = sum[k:$k] A[i, k] * B[k, j]
stage D f32[i:$m, j:$n] = max(C[i, j], 0.0)
output D
)",
                {{'m', m}, {'n', n}, {'k', k}});
}

Computation conv(const ConvSizes& sizes) {
  const std::string element =
      sizes.pad == 0
          ? "I[n, c, y + r, x + s]"
          : R"(select(0 <= y + r - $p)"
            R"( && y + r - $p < $h && 0 <= x + s - $p && x + s - $p < $h, I[n, c, y + r - $p, x + s - $p], 0.0))";
  return parsed(R"(computation conv
input I f32[$n, $c, $h, $h]
constant W f32[$o, $c, 3, 3]
stage C f32[n:$n, o:$o, y:$y, x:$y] = sum[c:$c, r:3, s:3] )" +
                    element + R"( * W[o, c, r, s]
output C
)",
                {{'n', sizes.images},
                 {'c', sizes.inputs},
                 {'o', sizes.outputs},
                 {'h', sizes.size},
                 {'p', sizes.pad},
                 {'y', sizes.size + 2 * sizes.pad - 2}});
}

Computation softmax(std::int64_t rows, std::int64_t columns) {
  return parsed(R"(computation softmax
input X f32[$r, $c]
stage M f32[i:$r] = max[k:$c] X[i, k]
stage E f32[i:$r, j:$c] = exp(X[i, j] - M[i])
stage S f32[i:$r] = sum[k:$c] E[i, k]
stage D f32[i:$r, j:$c] = E[i, j] / S[i]
output D
)",
                {{'r', rows}, {'c', columns}});
}

Computation row_sum(std::int64_t rows, std::int64_t columns) {
  return parsed(R"(computation row_sum
input X f32[$r, $c]
stage S f32[i:$r] = sum[k:$c] X[i, k]
output S
)",
                {{'r', rows}, {'c', columns}});
}

Computation doubled_exp(std::int64_t extent) {
  return parsed(R"(computation doubled_exp
input A f32[$n]
stage P f32[i:$n] = exp(A[i])
stage D f32[i:$n] = P[i] * 2.0
output D
)",
                {{'n', extent}});
}

}  // namespace tessera
