#pragma once

#include "record/measurement.h"

namespace tessera {

/// What this machine is doing now. Virtual machines tell little.
Conditions conditions_now();

}  // namespace tessera
