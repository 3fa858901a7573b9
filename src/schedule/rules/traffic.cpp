#include "schedule/rules/traffic.h"

#include "ir/rewrite.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tessera {
namespace {

/// A cache, and the bytes per cycle that come from behind it.
struct Level {
  EstimatePart part;
  double bytes;
  double bandwidth;
};

constexpr double line_bytes = 64;

/// Elements of one run of neighbours in memory when a tile spans so many in each dimension.
double run_of(const Placed& placed, const std::vector<double>& spans) {
  double run = 1;
  for (auto term = placed.layout.terms.rbegin(); term != placed.layout.terms.rend(); ++term) {
    const auto d = static_cast<std::size_t>(term->dim);
    const auto whole =
        static_cast<double>(term->modulo != 0 ? term->modulo : placed.tensor.shape[d]);
    run *= std::min(std::ceil(spans[d] / static_cast<double>(term->divide)), whole);
    if (spans[d] < whole) break;
  }
  return run;
}

/// Bytes that one pass over tiles of the given extents brings along: of images, whole cache lines
/// for each run of neighbours. Rows of matrices are read to their end, constants as they are laid
/// out.
double footprint(const Access& access, const std::map<AxisId, std::int64_t>& extents) {
  if (access.placed.tensor.shape.size() != access.dims.size()) return 0;  // a table
  double elements = 1;
  std::vector<double> spans;
  for (std::size_t d = 0; d < access.dims.size(); ++d) {
    double span = 1;
    for (const auto& [atom, factor] : access.dims[d].terms)
      for (const auto& [axis, extent] : extents)
        if (mentions(atom, axis)) span += static_cast<double>(std::abs(factor) * (extent - 1));
    spans.push_back(std::min(span, static_cast<double>(access.placed.tensor.shape[d])));
    elements *= spans.back();
  }
  if (access.is_constant || access.dims.size() != 4) return 4 * elements;
  const double run_bytes = 4 * run_of(access.placed, spans);
  return 4 * elements * std::ceil(run_bytes / line_bytes) * line_bytes / run_bytes;
}

}  // namespace

Estimate traffic_estimate(const std::vector<Access>& accesses,
                          const std::vector<TrafficLoop>& loops, const Target& target) {
  const std::vector<Level> levels{
      {EstimatePart::BehindL1, static_cast<double>(target.l1_bytes), 32.0},
      {EstimatePart::BehindL2, static_cast<double>(target.l2_bytes), bytes_per_cycle_behind_l2},
      {EstimatePart::BehindL3, static_cast<double>(target.l3_bytes), 5.0}};
  Estimate estimate;
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
    if (inner > 0 || &level == &levels.front()) estimate[level.part] = moved / level.bandwidth;
    estimate.cycles = std::max(estimate.cycles, estimate[level.part]);
  }
  return estimate;
}

}  // namespace tessera
