#pragma once

#include "ir/program.h"
#include "measure/instance.h"
#include "target/target.h"

namespace tessera {

/// Multiply-adds on vectors in registers and next to nothing else: no kernel for the target does
/// more of them in its time.
struct Peak {
  Program program;
  double flops = 0;
};

/// Enough work for so many threads.
Peak make_peak(const Target& target, std::int64_t threads);

/// Reads memory from end to end and next to nothing else.
struct Stream {
  Program program;
  double bytes = 0;
};

/// Reads about `size_bytes` with so many threads.
Stream make_stream(const Target& target, std::int64_t threads, std::int64_t size_bytes);

/// One of these programs, compiled, with operands.
Instance make_instance(const Program& program, const Target& target, const Backend& backend);

}  // namespace tessera
