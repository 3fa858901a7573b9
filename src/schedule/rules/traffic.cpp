#include "schedule/rules/traffic.h"

#include "ir/rewrite.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tessera {
namespace {

/// Bytes per cycle from the level behind L1, L2 and L3.
struct Level {
  double bytes;
  double bandwidth;
};

constexpr double line_bytes = 64;

/// Bytes that one pass over tiles of the given extents brings along: of operands that lie as the
/// network has them, whole cache lines for each run of neighbours.
double footprint(const Access& access, const std::map<AxisId, std::int64_t>& extents) {
  double elements = 1, last_span = 1;
  for (std::size_t d = 0; d < access.dims.size(); ++d) {
    double span = 1;
    for (const auto& [atom, factor] : access.dims[d].terms)
      for (const auto& [axis, extent] : extents)
        if (mentions(atom, axis)) span += static_cast<double>(std::abs(factor) * (extent - 1));
    last_span = std::min(span, static_cast<double>(access.placed.tensor.shape[d]));
    elements *= last_span;
  }
  const double bytes = 4 * elements;
  const bool is_row_major = access.placed.layout.terms == row_major(access.dims.size()).terms;
  if (access.is_constant || access.dims.empty() || !is_row_major) return bytes;
  if (last_span == static_cast<double>(access.placed.tensor.shape.back())) return bytes;
  return bytes * std::ceil(4 * last_span / line_bytes) * line_bytes / (4 * last_span);
}

}  // namespace

double traffic_cycles(const std::vector<Access>& accesses, const std::vector<TrafficLoop>& loops,
                      const Target& target) {
  const std::vector<Level> levels{{static_cast<double>(target.l1_bytes), 32.0},
                                  {static_cast<double>(target.l2_bytes), bytes_per_cycle_behind_l2},
                                  {static_cast<double>(target.l3_bytes), 5.0}};
  double cycles = 0;
  for (const Level& level : levels) {
    if (level.bytes == 0) continue;
    // The largest inner part of the nest whose data stay in this cache.
    std::map<AxisId, std::int64_t> extents;
    std::size_t inner = loops.size();
    while (inner > 0) {
      auto wider = extents;
      const TrafficLoop& loop = loops[inner - 1];
      std::int64_t& extent = wider.try_emplace(loop.axis, 1).first->second;
      extent = std::max(extent, loop.count * loop.step);
      double bytes = 0;
      for (const Access& access : accesses) bytes += footprint(access, wider);
      if (bytes > 0.8 * level.bytes) break;
      extents = std::move(wider);
      --inner;
    }
    double moved = 0;
    for (const Access& access : accesses) {
      double bytes = footprint(access, extents);
      bool is_resident =
          true;  // an access that the loops just outside do not move stays where it is
      for (std::size_t n = inner; n-- > 0;) {
        if (is_resident && !access.depends_on(loops[n].axis)) continue;
        is_resident = false;
        bytes *= static_cast<double>(loops[n].count);
      }
      moved += bytes;
    }
    if (inner > 0 || &level == &levels.front()) cycles = std::max(cycles, moved / level.bandwidth);
  }
  return cycles;
}

}  // namespace tessera
