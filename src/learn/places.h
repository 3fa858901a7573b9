#pragma once

#include "feature/rows.h"
#include "pick/points.h"

namespace tessera {

/// Where programs lie before anything has been learned: their rows, one behind the other, by random
/// directions of a space of 64 dimensions; standardised.
Points projected_places(const Rows& rows);

}  // namespace tessera
