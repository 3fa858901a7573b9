#pragma once

#include "base/result.h"
#include "extract/network.h"

namespace tessera {

/// Groups the nodes of an inferred graph into calls:
///   - what follows a node element by element, alone and in the same shape, joins it: bias,
///     residual sum and activation run on the tile that a matmul or convolution has in registers;
///   - what only moves elements joins a matmul, a row-wise or an elementwise reader that is alone;
///   - reshapes become views, and slices of the outermost extent parts of what they are cut from.
Result<Network> fuse(const Graph& graph);

}  // namespace tessera
