#pragma once

#include "ir/program.h"

namespace tessera {

/// Makes the extents of unrolled and vector loops constant where the last round of a split is
/// shorter: the body is copied, once for full rounds and once for the last.
///
///     for i.0 in 22                              for i.0 in 22
///       for i.1 in min(6, 128 - i.0*6) unroll      if i.0*6 <= 122
///         body                              ->       for i.1 in 6 unroll  body
///                                                  else
///                                                    for i.1 in 2 unroll  body
///
/// Unrolled loops that touch no register keep their extent and are tested in each iteration.
/// The last round's extent is 128 % 6, since the variable part is a multiple of 6.
Program specialise_tails(const Program& program);

}  // namespace tessera
