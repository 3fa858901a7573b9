#pragma once

#include "base/result.h"
#include "ir/program.h"
#include "tensor/host_buffer.h"

#include <span>
#include <vector>

namespace tessera {

/// Runs a program of either form on `buffers`, one per parameter in its physical layout. This is
/// the definition of the IR: slow, direct, in one thread. Floating-point operators are computed in
/// double and rounded to f32 when stored; parallel loops run backwards, so that a hidden dependence
/// shows; fresh allocations hold nan (integers: a large negative number). Refuses an access outside
/// a tensor's buffer, and tensors that do not fit into memory.
Result<void> interpret(const Program& program, std::span<HostBuffer* const> buffers);

/// Evaluates a computation on row-major operands; gives the outputs, row-major.
Result<std::vector<HostBuffer>> evaluate(const Computation& computation,
                                         std::span<const HostBuffer> operands);

}  // namespace tessera
