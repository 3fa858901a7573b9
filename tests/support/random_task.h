#pragma once

#include "base/rng.h"
#include "ir/computation.h"

namespace tessera {

/// A small computation of any family of ops, sometimes between a prologue and an epilogue. Extents
/// are often odd and the work is below 20 000 multiply-adds. A few units in the last place never
/// grow into a difference: what is rounded, compared or divided by is an operand, sums are short,
/// and what is exponentiated is small.
Computation random_computation(Rng& rng);

}  // namespace tessera
