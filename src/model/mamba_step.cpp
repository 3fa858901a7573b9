#include "model/mamba_step.h"

#include "model/decay.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// Channels that are worked on together: some vectors of any kind.
constexpr std::size_t together = 32;

inline float silu(float x) {
  const float e = decay(-std::abs(x));
  return x * (x >= 0 ? 1 : e) / (1 + e);
}

/// log(1 + e^x): with e = e^-|x| and s = e / (2 + e), log(1 + e) is 2 atanh(s).
inline float softplus(float x) {
  const float e = decay(-std::abs(x));
  const float s = e / (2 + e), q = s * s;
  const float series =
      1 + q * (1.0F / 3 + q * (1.0F / 5 + q * (1.0F / 7 + q * (1.0F / 9 + q * (1.0F / 11)))));
  return std::max(x, 0.0F) + 2 * s * series;
}

[[gnu::always_inline]] inline void convolve_part(const ConvolutionStep& step, std::size_t first,
                                                 std::size_t count, float* out) {
  float sum[together];
  for (std::size_t k = 0; k < count; ++k) sum[k] = step.bias[first + k];
  for (std::size_t back = 0; back < step.known; ++back) {
    const float* input = step.inputs - back * step.channels + first;
    const float* weight = step.weights + (step.steps - 1 - back) * step.channels + first;
#pragma omp simd
    for (std::size_t k = 0; k < count; ++k) sum[k] += weight[k] * input[k];
  }
#pragma omp simd
  for (std::size_t k = 0; k < count; ++k) out[first + k] = silu(sum[k]);
}

[[gnu::always_inline]] inline void scan_part(const ScanStep& step, std::size_t first,
                                             std::size_t count, float* h, float* out) {
  float dt[together], drive[together], sum[together];
#pragma omp simd
  for (std::size_t k = 0; k < count; ++k) {
    dt[k] = softplus(step.dt[first + k]);
    drive[k] = dt[k] * step.x[first + k];
    sum[k] = step.d[first + k] * step.x[first + k];
  }
  for (std::size_t s = 0; s < step.states; ++s) {
    const float* a = step.a + s * step.channels + first;
    const float b = step.b[s], c = step.c[s];
    float* now = h + s * step.channels + first;
    if (step.before == nullptr) {
#pragma omp simd
      for (std::size_t k = 0; k < count; ++k) now[k] = drive[k] * b;
    } else {
      const float* before = step.before + s * step.channels + first;
#pragma omp simd
      for (std::size_t k = 0; k < count; ++k)
        now[k] = decay(dt[k] * a[k]) * before[k] + drive[k] * b;
    }
#pragma omp simd
    for (std::size_t k = 0; k < count; ++k) sum[k] += now[k] * c;
  }
#pragma omp simd
  for (std::size_t k = 0; k < count; ++k) out[first + k] = sum[k] * silu(step.z[first + k]);
}

/// With a constant count where that can be, so that loops are nothing but vectors.
template <typename Part>
[[gnu::always_inline]] inline void for_each_part(std::size_t channels, const Part& part) {
  std::size_t first = 0;
  for (; first + together <= channels; first += together) part(first, together);
  if (first < channels) part(first, channels - first);
}

}  // namespace

#if defined(__x86_64__)
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")]]
#endif
void convolve(const ConvolutionStep& step, float* out) {
  for_each_part(step.channels,
                [&](std::size_t first, std::size_t count)
                    __attribute__((always_inline)) { convolve_part(step, first, count, out); });
}

#if defined(__x86_64__)
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")]]
#endif
void scan(const ScanStep& step, float* h, float* out) {
  for_each_part(step.channels,
                [&](std::size_t first, std::size_t count)
                    __attribute__((always_inline)) { scan_part(step, first, count, h, out); });
}

}  // namespace tessera
