#pragma once

#include "ir/computation.h"
#include "target/target.h"

#include <vector>

namespace tessera {

/// What a computation is like, as one token: `tokens.h` says where such tokens go.
///
///     18..23  family: flat, rows, window, matmul, convolution, depthwise
///     24..27  log2 of the last four spatial axes of the stage with most work
///     28..30  log2 of its last three reduce axes
///     31..    log2 flops, bytes, flops per byte; stages, those that reduce, stages behind the one
///             with most work; inputs, constants
void append_task_token(const Computation& computation, std::vector<float>& values);

/// Cores, bytes of vectors, registers, multiply-adds in flight, caches, what the ISA has.
void append_hardware_token(const Target& target, std::vector<float>& values);

}  // namespace tessera
