#pragma once

#include "feature/operation_counts.h"
#include "feature/reuse.h"
#include "feature/tensor_use.h"

#include <vector>

namespace tessera::statement {

/// Appends the 164 features of a store, whose loops hold the touches of itself and of the
/// statements before it.
void append_row(const Store& store, const UsedTensors& tensors, const OpenLoops& loops,
                const std::vector<TensorUse>& uses, std::vector<float>& values);

}  // namespace tessera::statement
