#pragma once

#include "ir/program.h"
#include "target/target.h"

namespace tessera {

/// Multiply-adds on vectors in registers and next to nothing else: no kernel for the target does
/// more of them in its time.
struct Peak {
  Program program;  // operands: any contents
  double flops = 0;
};

/// Enough work for so many threads.
Peak make_peak(const Target& target, std::int64_t threads);

}  // namespace tessera
