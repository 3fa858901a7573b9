#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

enum class DType : std::uint8_t { F32, I32, I64, Bool };

std::string_view to_text(DType dtype);
std::optional<DType> parse_dtype(std::string_view text);
std::int64_t size_bytes(DType dtype);
bool is_float(DType dtype);

/// `value` without its fraction, for an integer dtype or bool (whether it is not 0). Out of range
/// gives the nearest value of the dtype, nan the smallest.
std::int64_t truncated(double value, DType dtype);

}  // namespace tessera
