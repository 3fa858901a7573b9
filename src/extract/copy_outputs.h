#pragma once

#include "extract/network.h"

namespace tessera {

/// A call that copies `from` to the new value `to`, which has the given type; both have as many
/// elements.
Call copy_call(const Network& network, const ValueId& from, const ValueId& to,
               const ValueType& type);

/// Gives every output of the network a value of its own that a call makes: an output that is an
/// input, a constant, or the same value as an earlier output becomes a copy.
void copy_outputs(Network& network);

}  // namespace tessera
