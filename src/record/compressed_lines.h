#pragma once

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// The lines, each with its end, as one frame of Zstandard. The same lines give the same bytes.
std::string compress_lines(std::span<const std::string> lines);

/// Longer lines are refused, whatever a small file claims to hold.
inline constexpr std::size_t longest_line_bytes = std::size_t{64} << 20;

/// Visits each line, without its end, until one is refused: then with `line N: ` before the reason.
Result<void> visit_compressed_lines(
    std::string_view bytes, const std::function<Result<void>(std::string_view line)>& visit);

}  // namespace tessera
