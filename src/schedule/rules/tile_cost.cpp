#include "schedule/rules/layouts.h"
#include "schedule/rules/tile.h"
#include "schedule/rules/traffic.h"

#include <algorithm>

namespace tessera {
namespace {

/// Vector and scalar loads of one reduce point, weighted by what they cost.
double loads_of(const TilePlan& p, const RuleContext& context, double rows, double vectors) {
  const AxisId& vector = p.r_axis(p.style.vector);
  double loads = 0;
  for (const Access& read : p.r.reads) {
    const bool is_vector = read.depends_on(vector);
    const bool is_row = p.moves_along_rows(read);
    double count = (is_vector ? vectors : 1.0) * (is_row ? rows : 1.0);
    const auto stride = read.stride_of(vector);
    const bool may_be_blocked = !context.settled.contains(read.placed.tensor.name) ||
                                has_blocked_channels(read.placed.layout, p.lanes);
    const bool is_contiguous = read.is_constant || (p.style.is_blocked && may_be_blocked) ||
                               p.needs_packing(read) || (stride && *stride <= 1);
    if (is_vector && !is_contiguous) count *= 1.5 * static_cast<double>(p.lanes);
    // Rows far apart in memory are so many streams for the prefetchers and sets of the cache.
    const auto row_stride = p.rows ? read.stride_of(p.r_axis(*p.rows)) : std::nullopt;
    if (is_vector && is_row && row_stride && *row_stride * p.lanes > 256) count *= 1.3;
    loads += count;
  }
  return loads;
}

/// Whether a window slides along the vector, so that most vectors lie across cache lines.
bool slides_along_vector(const TilePlan& p) {
  return !p.style.is_blocked &&
         std::any_of(p.r.reads.begin(), p.r.reads.end(), [&](const Access& read) {
           return read.depends_on(p.r_axis(p.style.vector)) && !read.dims.empty() &&
                  read.dims.back().terms.size() > 1;
         });
}

/// Whether an unrolled reduce loop slides a window along the rows: then neighbouring points share
/// vectors, and the code generator keeps them all in registers.
bool shares_row_vectors(const TilePlan& p) {
  if (!p.rows || p.reduce.empty() || (p.reduce_unroll == 1 && !p.is_window_unrolled)) return false;
  const auto slides = [&](const Access& read, const ReduceLoop& loop) {
    return std::any_of(read.dims.begin(), read.dims.end(), [&](const Affine& dim) {
      return dim.coefficient(p.r_axis(*p.rows)) != 0 && dim.coefficient(loop.id) != 0;
    });
  };
  const std::size_t first = p.is_window_unrolled ? 0 : p.reduce.size() - 1;
  return std::any_of(p.r.reads.begin(), p.r.reads.end(), [&](const Access& read) {
    return read.depends_on(p.r_axis(p.style.vector)) &&
           std::any_of(p.reduce.begin() + static_cast<std::ptrdiff_t>(first), p.reduce.end(),
                       [&](const ReduceLoop& loop) { return slides(read, loop); });
  });
}

double reduce_points(const TilePlan& p) {
  double points = 1;
  for (const ReduceLoop& loop : p.reduce) points *= static_cast<double>(loop.extent);
  return points;
}

/// One tile of the given size: its reduce loop is bound by multiply-adds, loads, the latency of one
/// accumulator or the width of the front end; entering and leaving it touches every accumulator.
Estimate one_tile(const TilePlan& p, const RuleContext& context, std::int64_t row_count,
                  std::int64_t vector_count) {
  const Target& target = context.target;
  const auto rows = static_cast<double>(row_count * p.tile.rows2);
  const auto vectors = static_cast<double>(vector_count);
  const double accumulators = rows * vectors;
  const double loads = loads_of(p, context, rows, vectors);
  Estimate tile;  // of one reduce point at first
  tile[EstimatePart::Arithmetic] =
      accumulators / static_cast<double>(target.fma_per_cycle) * (target.has_fma ? 1 : 2);
  tile[EstimatePart::Loads] =  // ports are shared with stores and splits
      loads / (0.85 * static_cast<double>(target.loads_per_cycle));
  tile[EstimatePart::Latency] = static_cast<double>(target.fma_latency) + 0.5;
  tile.cycles = std::max(std::ranges::max(tile.parts), (accumulators + loads) / 5.0);
  if (slides_along_vector(p)) tile = tile * 1.15;
  const double live = accumulators * (shares_row_vectors(p) ? 2 : 1) + vectors;
  if (live > static_cast<double>(target.vector_registers)) {
    tile[EstimatePart::Spilled] = 0.7 * tile.cycles;
    tile.cycles += tile[EstimatePart::Spilled];
  }
  const double points = reduce_points(p);
  tile = tile * points;
  const double unroll = p.is_window_unrolled ? points : static_cast<double>(p.reduce_unroll);
  const double written = p.e.has_reducer ? 4.0 : 1.5;
  tile[EstimatePart::Entering] =
      points * 0.4 / unroll + 12 + accumulators * (written + p.e.operations * 0.5);
  tile.cycles += tile[EstimatePart::Entering];
  return tile;
}

/// How often a side of `extent` has full tiles of `size` and the shorter last one.
struct Count {
  std::int64_t size, times;
};
std::vector<Count> counts(std::int64_t extent, std::int64_t size) {
  std::vector<Count> out;
  if (extent >= size) out.push_back({size, extent / size});
  if (extent % size != 0) out.push_back({extent % size, 1});
  return out;
}

Estimate compute_estimate(const TilePlan& p, const RuleContext& context) {
  const std::int64_t row_extent = p.rows ? p.extent(*p.rows) : 1;
  const std::int64_t vector_extent = ceil_div(p.extent(p.style.vector), p.lanes);
  Estimate all;
  for (const Count& rows : counts(row_extent, p.tile.rows))
    for (const Count& vectors : counts(vector_extent, p.tile.vectors))
      all += one_tile(p, context, rows.size, vectors.size) *
             static_cast<double>(rows.times * vectors.times);
  for (std::size_t d = 0; d < p.spatial.size(); ++d)
    if (d != p.style.vector && p.rows != d && p.rows2 != d)
      all = all * static_cast<double>(p.extent(d));
  if (p.rows2) all = all * static_cast<double>(ceil_div(p.extent(*p.rows2), p.tile.rows2));
  for (const Access& read : p.r.reads) {
    if (!p.needs_packing(read)) continue;
    const double packing = 1.2 * static_cast<double>(element_count(read.placed.tensor.shape));
    all[EstimatePart::Entering] += packing;
    all.cycles += packing;
  }
  return all;
}

std::vector<TrafficLoop> traffic_loops(const TilePlan& p,
                                       const std::vector<ViewAxis>& outer_loops) {
  std::vector<TrafficLoop> loops;
  for (const ViewAxis& a : outer_loops)
    for (std::size_t d = 0; d < p.spatial.size(); ++d) {
      if (!(a.id == p.e_axis(d) || a.id.starts_with(p.e_axis(d) + "."))) continue;
      std::int64_t size = 1;
      if (d == p.style.vector) size = std::min(p.panel(), p.extent(d));
      if (p.rows == d) size = p.tile.rows;
      if (p.rows2 == d) size = p.tile.rows2;
      if (a.id.ends_with(".0.0")) size *= p.outer.block;
      loops.push_back({p.r_axis(d), a.extent, size});
    }
  for (const ReduceLoop& loop : p.reduce) {
    const bool is_part = !p.blocked_reduce.empty() && loop.id.starts_with(p.blocked_reduce + ".");
    loops.push_back({is_part ? p.blocked_reduce : loop.id, loop.extent,
                     is_part && loop.id.ends_with(".0") ? p.lanes : 1});
  }
  loops.push_back({p.r_axis(p.style.vector), std::min(p.panel(), p.extent(p.style.vector)), 1});
  if (p.rows) loops.push_back({p.r_axis(*p.rows), p.tile.rows, 1});
  if (p.rows2) loops.push_back({p.r_axis(*p.rows2), p.tile.rows2, 1});
  return loops;
}

/// What moves through the caches: operands, and at the end of each tile what the consumer reads
/// beside it and its result (of images), which is fetched before it is written back. All as they
/// will lie: blocked where the style blocks what is not settled.
std::vector<Access> moved_accesses(const TilePlan& p, const RuleContext& context) {
  std::vector<Access> moved = p.r.reads;
  const auto add_at_tile = [&](const Access& access) {
    if (access.placed.tensor.shape != p.r.write.placed.tensor.shape || access.is_constant ||
        access.dims.size() != 4)
      return;
    moved.push_back(p.r.write);
    moved.back().placed = access.placed;
  };
  for (const Access& read : p.e.reads) add_at_tile(read);
  for (int times = 0; times < 2; ++times) add_at_tile(p.e.write);
  for (Access& access : moved)
    if (p.style.is_blocked && !context.settled.contains(access.placed.tensor.name) &&
        access.dims.size() == 4)
      access.placed.layout = blocked_channels(p.lanes);
  return moved;
}

}  // namespace

Estimate tile_estimate(const TilePlan& plan, const std::vector<ViewAxis>& outer_loops,
                       const RuleContext& context) {
  Estimate all = compute_estimate(plan, context);
  const double compute = all.cycles;
  const Estimate moved = traffic_estimate(moved_accesses(plan, context),
                                          traffic_loops(plan, outer_loops), context.target);
  all += moved;
  all.cycles = std::max(compute, moved.cycles) + 0.1 * std::min(compute, moved.cycles);
  return all;
}

}  // namespace tessera
