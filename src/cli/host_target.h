#pragma once

#include "target/target.h"

#include <cstdint>
#include <string>

namespace tessera {

/// The target of that name with the caches of this machine and so many cores, by default its own.
/// Refuses one whose code does not run here.
Result<Target> host_target(const std::string& name, std::int64_t threads);

}  // namespace tessera
