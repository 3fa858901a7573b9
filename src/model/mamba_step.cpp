#include "model/mamba_step.h"

#include "model/decay.h"
#include "model/lanes.h"

namespace tessera {
namespace {

/// Channels that are convolved together: some vectors of any kind.
constexpr std::size_t together = 32;

template <typename Floats>
[[gnu::always_inline]] inline Floats silu(Floats x) {
  const Floats e = decay<Floats>(x < 0 ? x : -x);
  return x * (x < 0 ? e : Floats{} + 1) / (1 + e);
}

/// log(1 + e^x): with e = e^-|x| and s = e / (2 + e), log(1 + e) is 2 atanh(s).
template <typename Floats>
[[gnu::always_inline]] inline Floats softplus(Floats x) {
  const Floats e = decay<Floats>(x < 0 ? x : -x);
  const Floats s = e / (2 + e), q = s * s;
  const Floats series =
      1 + q * (1.0F / 3 + q * (1.0F / 5 + q * (1.0F / 7 + q * (1.0F / 9 + q * (1.0F / 11)))));
  return (x < 0 ? Floats{} : x) + 2 * s * series;
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

/// One block of channels, or one channel.
template <typename Floats>
[[gnu::always_inline]] inline void scan_part(const ScanStep& step, std::size_t first, float* h,
                                             float* out) {
  constexpr std::size_t count = sizeof(Floats) / sizeof(float);
  const Floats x = load<Floats>(step.x + first);
  const Floats dt = softplus(load<Floats>(step.dt + first));
  const Floats drive = dt * x;
  Floats sum = load<Floats>(step.d + first) * x;
  for (std::size_t s = 0; s < step.states; ++s) {
    const std::size_t at = first * step.states + s * count;
    Floats now = drive * step.b[s];
    if (step.before != nullptr)
      now += halving<Floats>(dt * load<Floats>(step.a + at)) * load<Floats>(step.before + at);
    store(h + at, now);
    sum += now * step.c[s];
  }
  store(out + first, sum * silu(load<Floats>(step.z + first)));
}

/// With a constant count where that can be, so that loops are nothing but vectors.
template <typename Part>
[[gnu::always_inline]] inline void for_each_part(std::size_t channels, const Part& part) {
  std::size_t first = 0;
  for (; first + together <= channels; first += together) part(first, together);
  if (first < channels) part(first, channels - first);
}

}  // namespace

static_assert(scan_block == lanes);

std::vector<float> in_scan_blocks(const std::vector<float>& values, std::size_t states) {
  const std::size_t channels = values.size() / states;
  std::vector<float> blocks(values.size());
  for (std::size_t first = 0; first < channels;) {
    const std::size_t count = first + scan_block <= channels ? scan_block : 1;
    for (std::size_t s = 0; s < states; ++s)
      for (std::size_t k = 0; k < count; ++k)
        blocks[first * states + s * count + k] = values[(first + k) * states + s];
    first += count;
  }
  return blocks;
}

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
  std::size_t first = 0;
  for (; first + scan_block <= step.channels; first += scan_block)
    scan_part<Vector>(step, first, h, out);
  for (; first < step.channels; ++first) scan_part<float>(step, first, h, out);
}

}  // namespace tessera
