#pragma once

#include "ir/program.h"

namespace tessera {

/// Whether an output of a lowered program may lie in the memory of an input: both have the same
/// type and layout, and each element of the input is read only where the output's element in its
/// place is written, which happens once. Holds for what follows a reduction on its tile, as a
/// residual sum does, and for elementwise nests.
bool may_overwrite(const Program& lowered, const Param& input, const Param& output);

}  // namespace tessera
