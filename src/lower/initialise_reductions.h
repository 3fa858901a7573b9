#pragma once

#include "ir/program.h"

namespace tessera {

/// Writes out what a store with a reducer means in the scheduled form, and makes the form lowered:
/// before the outermost loop that reduces a tensor, its elements are set to the reducer's identity.
///
///     for k reduce C                 for j vector 8
///       for j vector 8         ->      C[j] = 0.0
///         C[j] += A[k, j]            for k
///                                      for j vector 8
///                                        C[j] += A[k, j]
Program initialise_reductions(const Program& program);

}  // namespace tessera
