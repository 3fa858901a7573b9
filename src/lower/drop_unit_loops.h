#pragma once

#include "ir/program.h"

namespace tessera {

/// Replaces each loop of one iteration by its body, and simplifies. Parallel loops go too.
Program drop_unit_loops(const Program& program);

}  // namespace tessera
