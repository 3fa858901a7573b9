#pragma once

#include "npz/npz.h"

#include <cstddef>
#include <span>
#include <string>

namespace tessera {

/// A NumPy array file, a member of an archive. The array that is read has no name.
Result<NamedArray> parse_npy(std::span<const std::byte> file);
Result<std::string> to_npy(const NamedArray& array);

}  // namespace tessera
