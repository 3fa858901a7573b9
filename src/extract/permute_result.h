#pragma once

#include "ir/computation.h"

namespace tessera {

/// A Computation whose last stage only permutes the axes of a reduction, the last one aside, as one
/// that reduces in that order.
///
///     C[i, j, l] = sum(k) ..
///     D[j, i, l] = C[i, j, l]     ->     D[j, i, l] = sum(k) ..
Computation permute_result(Computation computation);

}  // namespace tessera
