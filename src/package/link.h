#pragma once

#include "base/result.h"
#include "target/target.h"

#include <span>
#include <string>

namespace tessera {

/// An ELF shared library of relocatable objects (`Backend::object`) for `target`, which need not be
/// this machine. It stands alone: an object that calls a function none of them defines is refused,
/// as are two that define the same symbol. Runs `ld.lld-19`; leaves no file behind.
Result<std::string> link_objects(std::span<const std::string> objects, const Target& target);

}  // namespace tessera
