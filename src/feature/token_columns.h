#pragma once

#include "feature/tokens.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

/// Where things stand in a token; `tokens.h` tells what they are.
namespace token_column {
inline constexpr std::size_t task = 0, hardware = 1, estimate = 2, first_step = 3;
inline constexpr std::size_t facts = first_step + std::variant_size_v<Step>;
inline constexpr std::size_t is_input = facts, is_constant = facts + 1, stage = facts + 2,
                             elements = facts + 3;
inline constexpr std::size_t reduces = facts + 4, axis = facts + 5, axis_extent = facts + 6,
                             extent = facts + 7, depth = facts + 8, inside = facts + 9,
                             inside_reduced = facts + 10, outside = facts + 11;
inline constexpr std::size_t numbers = facts + 12, numbers_count = 4;
inline constexpr std::size_t rounds = facts + 16, waste = facts + 17;
inline constexpr std::size_t memory = facts + 18, memories = 4;
inline constexpr std::size_t pairs = facts + 22, pairs_count = 6;
static_assert(pairs + 2 * pairs_count == token_width);
}  // namespace token_column

/// log2(1 + x), from a table where x is a small integer.
inline float log_size(float value) {
  static const std::array<float, 4096> small = [] {
    std::array<float, 4096> table{};
    for (std::size_t n = 0; n < table.size(); ++n)
      table[n] = std::log2(1.0F + static_cast<float>(n));
    return table;
  }();
  if (value >= 0 && value < 4096) {
    const auto whole = static_cast<std::size_t>(value);
    if (static_cast<float>(whole) == value) return small[whole];
  }
  return std::log2(1 + value);
}
inline float log_size(std::int64_t value) { return log_size(static_cast<float>(value)); }

}  // namespace tessera
