#pragma once

#include "ir/program.h"

namespace tessera {

/// Replaces logical indices by one element offset in the tensor's physical layout.
///
///     B[k, j]   ->   B[j/16 * 12288 + k * 16 + j % 16]        layout [1/16 0 1%16]
Program flatten_storage(const Program& program);

}  // namespace tessera
