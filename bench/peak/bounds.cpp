#include "peak/bounds.h"

#include "tensor/host_buffer.h"

#include <algorithm>
#include <cstring>
#include <immintrin.h>
#include <memory>

namespace tessera::bench {
namespace {

// Enough independent sums to hide the latency of a multiply-add at two a cycle, few enough for 16
// registers.
constexpr int sums = 12;
constexpr std::int64_t fma_rounds = 200'000;

/// Tells the compiler that somebody reads and changes `values` here, so that it neither drops what
/// led to them nor takes equal ones for one.
template <typename T>
void touch(T& values) {
  asm volatile("" : : "g"(&values) : "memory");
}

[[gnu::target("avx512f")]] void fma_avx512(std::int64_t rounds) {
  const __m512 a = _mm512_set1_ps(0.5F), b = _mm512_set1_ps(1);
  __m512 sum[sums] = {};
  touch(sum);
  for (std::int64_t n = 0; n < rounds; ++n)
#pragma GCC unroll 12
    for (__m512& s : sum) s = _mm512_fmadd_ps(s, a, b);
  touch(sum);
}

[[gnu::target("avx2,fma")]] void fma_avx2(std::int64_t rounds) {
  const __m256 a = _mm256_set1_ps(0.5F), b = _mm256_set1_ps(1);
  __m256 sum[sums] = {};
  touch(sum);
  for (std::int64_t n = 0; n < rounds; ++n)
#pragma GCC unroll 12
    for (__m256& s : sum) s = _mm256_fmadd_ps(s, a, b);
  touch(sum);
}

void fma_sse2(std::int64_t rounds) {
  const __m128 a = _mm_set1_ps(0.5F), b = _mm_set1_ps(1);
  __m128 sum[sums] = {};
  touch(sum);
  for (std::int64_t n = 0; n < rounds; ++n)
#pragma GCC unroll 12
    for (__m128& s : sum) s = _mm_add_ps(_mm_mul_ps(s, a), b);
  touch(sum);
}

struct Isa {
  std::string_view name;
  std::int64_t lanes;
  void (*fma)(std::int64_t rounds);
};

Isa widest_isa() {
  if (__builtin_cpu_supports("avx512f")) return {"avx512", 16, fma_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {"avx2", 8, fma_avx2};
  return {"sse2", 4, fma_sse2};
}

void fma_body(const void* frame, std::int64_t begin, std::int64_t end, void*) {
  for (std::int64_t n = begin; n < end; ++n) static_cast<const Isa*>(frame)->fma(fma_rounds);
}

/// Reads from several places by turns: one sequence alone does not fill the memory's queues.
void sum_up(const std::byte* from, std::int64_t size_bytes) {
  constexpr std::int64_t sequences = 8, turn_bytes = 256, vector_bytes = 16, chains = 8;
  const std::int64_t sequence_bytes = size_bytes / sequences / turn_bytes * turn_bytes;
  __m128i sum[chains] = {};
  touch(sum);
  for (std::int64_t at = 0; at < sequence_bytes; at += turn_bytes)
    for (std::int64_t n = 0; n < sequences; ++n) {
      const auto* vectors = reinterpret_cast<const __m128i*>(from + n * sequence_bytes + at);
#pragma GCC unroll 16
      for (std::int64_t v = 0; v < turn_bytes / vector_bytes; ++v)
        sum[v % chains] = _mm_add_epi64(sum[v % chains], _mm_loadu_si128(vectors + v));
    }
  touch(sum);
}

struct Stream {
  HostBuffer from, to;
  std::byte* target = static_cast<std::byte*>(to.data());

  static constexpr std::int64_t piece_bytes = 64 << 10;

  std::int64_t pieces() const { return (from.size_bytes() + piece_bytes - 1) / piece_bytes; }

  static void body(const void* frame, std::int64_t begin, std::int64_t end, void*) {
    const auto& self = *static_cast<const Stream*>(frame);
    const std::int64_t first = begin * piece_bytes;
    const std::int64_t last = std::min(end * piece_bytes, self.from.size_bytes());
    const std::int64_t copied = std::clamp(self.to.size_bytes(), first, last);
    const auto* source = static_cast<const std::byte*>(self.from.data());
    std::memcpy(self.target + first, source + first, static_cast<std::size_t>(copied - first));
    sum_up(source + copied, last - copied);
  }
};

}  // namespace

Contender fma_peak(ThreadPool& pool) {
  return {[&pool, isa = widest_isa()] { pool.run(fma_body, &isa, pool.threads(), 0); },
          pool.threads()};
}

double fma_peak_flops(std::int64_t threads) {
  return 2.0 * sums * static_cast<double>(fma_rounds * widest_isa().lanes * threads);
}

std::string_view fma_peak_isa() { return widest_isa().name; }

Contender stream(ThreadPool& pool, std::int64_t read_bytes, std::int64_t written_bytes) {
  const auto work = std::make_shared<Stream>(HostBuffer(DType::F32, read_bytes / 4),
                                             HostBuffer(DType::F32, written_bytes / 4));
  Rng rng(1);
  fill_random(work->from, rng);
  return {[&pool, work] { pool.run(Stream::body, work.get(), work->pieces(), 0); }, pool.threads()};
}

}  // namespace tessera::bench
