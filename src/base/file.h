#pragma once

#include "base/result.h"

#include <string>

namespace tessera {

/// The whole of a file, which may be one of /proc or /sys that tells no size. Refuses with
/// `PATH: reason`.
Result<std::string> read_file(const std::string& path);

}  // namespace tessera
