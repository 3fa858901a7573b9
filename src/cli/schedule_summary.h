#pragma once

#include "schedule/schedule.h"

#include <string>

namespace tessera {

/// A schedule in a few words, for tables: `winograd4, tile 3x32, parallel`. The tile is what is
/// kept in registers.
std::string summary_of(const Schedule& schedule);

}  // namespace tessera
