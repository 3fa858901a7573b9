#pragma once

#include "ir/program.h"

namespace tessera {

/// Takes away the tests of zero-padded reads whose tensor holds the zeros itself, in a halo that
/// covers every index that the read can have.
///
///     select(0 <= y - 1 && ..., I[y - 1, ..], 0.0)   ->   I[y - 1, ..]        layout .. halo 0:1:1
Program elide_padding(const Program& program);

}  // namespace tessera
