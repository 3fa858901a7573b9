#include "schedule/rules/traffic.h"

#include "ir/rewrite.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

/// Which axes of a nest move which dimensions of an access: looked up once, since every cache and
/// every part of the nest asks.
class Movement {
 public:
  Movement(const Access& access, const std::vector<AxisId>& axes)
      : access_(access), depends_(axes.size()) {
    for (const Affine& dim : access.dims) {
      std::vector<Term>& terms = dims_.emplace_back();
      for (const auto& [atom, factor] : dim.terms)
        for (std::size_t n = 0; n < axes.size(); ++n)
          if (mentions(atom, axes[n])) {
            terms.push_back({n, std::abs(factor)});
            depends_[n] = true;
          }
    }
  }

  bool depends_on(std::size_t axis) const { return depends_[axis]; }

  /// Bytes that one pass over tiles of the given extents brings along: of images, whole cache lines
  /// for each run of neighbours. Rows of matrices are read to their end, constants as they are laid
  /// out.
  double footprint(const std::vector<std::int64_t>& extents) const {
    const std::vector<std::int64_t>& shape = access_.placed.tensor.shape;
    if (shape.size() != dims_.size()) return 0;  // a table
    double elements = 1;
    std::vector<double> spans;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      double span = 1;
      for (const Term& term : dims_[d])
        span += static_cast<double>(term.factor * (extents[term.axis] - 1));
      spans.push_back(std::min(span, static_cast<double>(shape[d])));
      elements *= spans.back();
    }
    if (access_.is_constant || dims_.size() != 4) return 4 * elements;
    const double run_bytes = 4 * run_of(access_.placed, spans);
    return 4 * elements * std::ceil(run_bytes / line_bytes) * line_bytes / run_bytes;
  }

 private:
  struct Term {
    std::size_t axis;
    std::int64_t factor;
  };
  const Access& access_;
  std::vector<std::vector<Term>> dims_;
  std::vector<bool> depends_;
};

/// The loops from one on inwards: how far they go along each axis, and what each access touches.
struct Part {
  std::vector<std::int64_t> extents;
  std::vector<double> footprints;
  double bytes() const { return std::accumulate(footprints.begin(), footprints.end(), 0.0); }
};

/// Of a nest, from no loop to all of them.
std::vector<Part> parts_of(const std::vector<Movement>& movements,
                           const std::vector<TrafficLoop>& loops,
                           const std::vector<std::size_t>& axis_of, std::size_t axes) {
  std::vector<Part> parts{{.extents = std::vector<std::int64_t>(axes, 1), .footprints = {}}};
  for (std::size_t n = loops.size();; --n) {
    Part& part = parts.back();
    for (const Movement& movement : movements)
      part.footprints.push_back(movement.footprint(part.extents));
    if (n == 0) return parts;
    std::vector<std::int64_t> extents = part.extents;
    std::int64_t& extent = extents[axis_of[n - 1]];
    extent = std::max(extent, loops[n - 1].count * loops[n - 1].step);
    parts.push_back({.extents = std::move(extents), .footprints = {}});
  }
}

}  // namespace

Estimate traffic_estimate(const std::vector<Access>& accesses,
                          const std::vector<TrafficLoop>& loops, const Target& target) {
  const std::vector<Level> levels{
      {EstimatePart::BehindL1, static_cast<double>(target.l1_bytes), 32.0},
      {EstimatePart::BehindL2, static_cast<double>(target.l2_bytes), bytes_per_cycle_behind_l2},
      {EstimatePart::BehindL3, static_cast<double>(target.l3_bytes), 5.0}};
  std::vector<AxisId> axes;
  std::vector<std::size_t> axis_of;  // each loop
  for (const TrafficLoop& loop : loops) {
    const auto found = std::ranges::find(axes, loop.axis);
    axis_of.push_back(static_cast<std::size_t>(found - axes.begin()));
    if (found == axes.end()) axes.push_back(loop.axis);
  }
  std::vector<Movement> movements;
  for (const Access& access : accesses) movements.emplace_back(access, axes);
  const std::vector<Part> parts = parts_of(movements, loops, axis_of, axes.size());
  Estimate estimate;
  for (const Level& level : levels) {
    if (level.bytes == 0) continue;
    // The largest inner part of the nest whose data stay in this cache.
    std::size_t kept = 0;
    while (kept < loops.size() && parts[kept + 1].bytes() <= 0.8 * level.bytes) ++kept;
    const std::size_t inner = loops.size() - kept;
    double moved = 0;
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      double bytes = parts[kept].footprints[a];
      bool is_resident =
          true;  // an access that the loops just outside do not move stays where it is
      for (std::size_t n = inner; n-- > 0;) {
        if (is_resident && !movements[a].depends_on(axis_of[n])) continue;
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
