#pragma once

#include "base/rng.h"
#include "ir/computation.h"

namespace tessera {

/// A small computation of any family of ops, sometimes between a prologue and an epilogue. Extents
/// are often odd and the work is below 20 000 multiply-adds. Where a value is rounded, compared or
/// divided by, it is an operand's and not a computed one, so that a few units in the last place
/// never grow into a difference.
Computation random_computation(Rng& rng);

}  // namespace tessera
