#pragma once

#include "base/result.h"
#include "npz/npz.h"
#include "runtime/port_buffers.h"

#include <span>

namespace tessera {

/// Fills inputs by name. Refuses an array that no port is called like, one of another type or shape
/// than its port, and a port without one.
Result<void> fill(PortBuffers& inputs, std::span<const NamedArray> arrays);

NamedArray array_of(const PortBuffers& buffers, std::size_t port);

}  // namespace tessera
