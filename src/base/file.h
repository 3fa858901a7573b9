#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tessera {

/// The whole of a file, which may be one of /proc or /sys that tells no size. Refuses with
/// `PATH: reason`.
Result<std::string> read_file(const std::string& path);

/// Replaces the file or makes it; it appears whole or not at all. Refuses with `PATH: reason`.
Result<void> write_file(const std::string& path, std::string_view bytes);

/// Writes all of `bytes` at the position of an open file. Refuses with the reason of the system.
Result<void> write_all(int descriptor, std::string_view bytes);

}  // namespace tessera
