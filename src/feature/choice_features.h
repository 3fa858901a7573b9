#pragma once

#include "schedule/space.h"

#include <map>
#include <string>
#include <vector>

namespace tessera {

/// A chain of choices as named numbers, straight from its options and the prior's estimate, with
/// nothing lowered. `Y.tile=6x2` gives `tile.0` 6 and `tile.1` 2; an option without numbers is 1
/// under its own name, `order:cols_outer`. Tensors' names are left out: tasks share the columns.
std::map<std::string, float> choice_features(const Task& task, const Space::Chain& chain);

}  // namespace tessera
