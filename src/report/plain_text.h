#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// Names in models may hold any bytes. Here those that are not UTF-8, and control characters but
/// newlines, become U+FFFD: the rest can be shown on a page or on a terminal.
std::string plain_text(std::string_view text);

/// How many characters a plain text has.
std::size_t length_of(std::string_view plain);

/// At most so many characters of a plain text, the last of which is `…` when some are left out.
std::string shortened(std::string_view plain, std::size_t length);

/// `12.3`, `0.0123`, `1234`: three digits at least, no exponent.
std::string significant(double value);
/// `1,234,567`.
std::string grouped(std::int64_t count);
/// `2:41`, `1:02:41`; of 0 seconds or more.
std::string duration_text(double seconds);

}  // namespace tessera
