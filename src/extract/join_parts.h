#pragma once

#include "extract/network.h"
#include "target/target.h"

namespace tessera {

/// Takes away calls that join values: each value is written where it lies in the whole, or copied
/// there when it cannot be (an input, a constant, a part of another whole already). A call remains
/// where a part would begin at an address that vectors cannot be written to.
void join_parts(Network& network, const Target& target);

}  // namespace tessera
