#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// What the cycles of an Estimate are made of. Parts overlap: a tile takes about as long as the
/// longest of its own.
enum class EstimatePart : std::uint8_t {
  Arithmetic,
  Loads,
  Latency,   // of accumulators that wait for themselves
  Entering,  // and leaving tiles and loops
  Spilled,   // registers
  BehindL1,  // data that come from there
  BehindL2,
  BehindL3,
  Idle,  // threads
};
inline constexpr std::size_t estimate_parts = 9;

/// Cycles of one core, as the analytic prior expects them.
struct Estimate {
  double cycles = 0;
  std::array<double, estimate_parts> parts = {};

  double& operator[](EstimatePart part) { return parts[static_cast<std::size_t>(part)]; }
  double operator[](EstimatePart part) const { return parts[static_cast<std::size_t>(part)]; }

  Estimate& operator+=(const Estimate& other) {
    cycles += other.cycles;
    for (std::size_t n = 0; n < estimate_parts; ++n) parts[n] += other.parts[n];
    return *this;
  }
  /// So many times in a row.
  friend Estimate operator*(Estimate once, double times) {
    once.cycles *= times;
    for (double& part : once.parts) part *= times;
    return once;
  }
  /// When threads without work make it take so many times as long.
  Estimate lengthened(double times) const {
    Estimate longer = *this;
    longer[EstimatePart::Idle] += cycles * (times - 1);
    longer.cycles *= times;
    return longer;
  }
};

}  // namespace tessera
