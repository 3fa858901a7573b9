#pragma once

#include "base/result.h"
#include "ir/computation.h"
#include "ir/program.h"

namespace tessera {

/// How deep expressions and statements may nest, so that recursion over them is safe.
inline constexpr int max_depth = 200;

/// Names are defined before use and once, ranks and dtypes agree, extents are positive, reduce axes
/// come with a reducer, outputs are stages, constant-index loads are in bounds.
Result<void> verify(const Computation& computation);

/// What holds for both forms (names in scope and unique, dtypes, layouts, loop extents refer to
/// enclosing axes, no parallel loop inside another loop that is unrolled, vector or parallel; one
/// vector loop at a time; blocks flat) and what holds for the program's own form. Scheduled: a name
/// serves once, reductions have reducers. Lowered: one index per access, register tensors indexed
/// by constants, unrolled and vector axes only.
Result<void> verify(const Program& program);

}  // namespace tessera
