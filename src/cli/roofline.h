#pragma once

#include "target/target.h"

#include <cstdint>
#include <string_view>

namespace tessera {

/// What kernels do and need in a time.
struct Work {
  double flops = 0;
  double traffic_bytes = 0;
  double seconds = 0;
};

/// What bounds work (Williams, Waterman and Patterson, CACM 2009): its operations at the peak of
/// the cores, its bytes at the bandwidth of the memory, or neither.
struct Roofline {
  double flops_per_second = 0;
  double bytes_per_second = 0;

  double share_of_peak(const Work& work) const;
  /// `compute` or `memory`, whichever alone would take longer; `overhead` when that is less than a
  /// quarter of the time.
  std::string_view limit(const Work& work) const;
};

/// Measured on this machine: multiply-adds in registers, and reading of memory of that size.
Roofline measure_roofline(const Target& host, std::int64_t threads, std::int64_t memory_bytes);

}  // namespace tessera
