#pragma once

#include "peak/timing.h"
#include "runtime/thread_pool.h"

#include <cstdint>
#include <string_view>

namespace tessera::bench {

/// The machine's limit in arithmetic: independent multiply-adds in registers, in the widest vectors
/// there are. Uses every thread of `pool`, which must outlive it.
Contender fma_peak(ThreadPool& pool);
/// Arithmetic operations of one run of `fma_peak` on `threads` threads.
double fma_peak_flops(std::int64_t threads);
/// `avx512`, `avx2` or `sse2`: what `fma_peak` uses here.
std::string_view fma_peak_isa();

/// The machine's limit in memory: reads `read_bytes` and writes `written_bytes`, each byte once. It
/// copies what it can and sums up the rest. Uses every thread of `pool`, which must outlive it.
Contender stream(ThreadPool& pool, std::int64_t read_bytes, std::int64_t written_bytes);

}  // namespace tessera::bench
