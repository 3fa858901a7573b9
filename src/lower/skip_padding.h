#pragma once

#include "ir/program.h"

namespace tessera {

/// Shortens loops over a window to the part that does not lie in padding, where the loop is one of
/// code and all it does is add products with zeros of a halo.
///
///     for r in 3 {                                  for r in max(min(3, 15 - y) - max(1 - y, 0),
///     1) {
///       C += I[y + r - 1, ..] * W[r, ..]   ->         C += I[y + (r + max(1 - y, 0)) - 1, ..] * ..
///     }                                             }
///
/// At least one round stays, so that a reduction always has its first. Tests must already have
/// become reads of a halo (elide_padding).
Program skip_padding(const Program& program);

}  // namespace tessera
