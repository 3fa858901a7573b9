#pragma once

#include "extract/network.h"
#include "schedule/space.h"

namespace tessera {

/// Chooses how values lie in memory:
///   - images [N, C, H, W] get blocked channels (NCHW8c) where the analytic prior finds all calls
///     together cheaper so, the copies at the borders included. Two assignments compete, blocks
///     wherever they may be and each image as its maker likes it; where they differ, the better is
///     turned image by image as long as that pays;
///   - a value that is read with zero padding gets a halo as wide as any algorithm of its readers
///     can use.
/// Where a view, an output or an input of the network must be row-major, a call copies.
void assign_layouts(Network& network, const Target& target, PriorDrafts& drafts);

}  // namespace tessera
