#pragma once

#include "extract/network.h"
#include "target/target.h"

namespace tessera {

/// Chooses how values lie in memory:
///   - images [N, C, H, W] get blocked channels (NCHW8c) where the analytic prior finds the calls
///     that make and read them cheaper so, the copies at the borders included;
///   - a value that is read with zero padding gets a halo as wide as any algorithm of its readers
///     can use.
/// Where a view, an output or an input of the network must be row-major, a call copies.
void assign_layouts(Network& network, const Target& target);

}  // namespace tessera
