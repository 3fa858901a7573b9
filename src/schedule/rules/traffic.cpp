#include "schedule/rules/traffic.h"

#include "ir/rewrite.h"

#include <algorithm>
#include <map>

namespace tessera {
namespace {

/// Bytes per cycle from the level behind L1, L2 and L3.
struct Level {
  double bytes;
  double bandwidth;
};

/// Elements of a tensor that one pass over tiles of the given extents touches.
double footprint(const Access& access, const std::map<AxisId, std::int64_t>& extents) {
  double elements = 1;
  if (access.placed.tensor.shape.size() != access.dims.size()) return elements;  // of a table
  for (std::size_t d = 0; d < access.dims.size(); ++d) {
    double span = 1;
    for (const auto& [atom, factor] : access.dims[d].terms)
      for (const AxisId& used : axes_in(atom)) {
        const auto extent = extents.find(used);
        if (extent != extents.end())
          span += static_cast<double>(std::abs(factor) * (extent->second - 1));
      }
    elements *= std::min(span, static_cast<double>(access.placed.tensor.shape[d]));
  }
  return elements;
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
      for (const Access& access : accesses) bytes += 4 * footprint(access, wider);
      if (bytes > 0.8 * level.bytes) break;
      extents = std::move(wider);
      --inner;
    }
    double moved = 0;
    for (const Access& access : accesses) {
      double bytes = 4 * footprint(access, extents);
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
