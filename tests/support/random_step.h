#pragma once

#include "base/rng.h"
#include "schedule/step.h"

namespace tessera {

/// A step of any kind that names loops and tensors of the program, legal or not.
Step random_step(const Program& program, Rng& rng);

/// A layout of any order, blocks and padding for `shape`, with a halo now and then.
Layout random_layout(const Shape& shape, Rng& rng);

}  // namespace tessera
