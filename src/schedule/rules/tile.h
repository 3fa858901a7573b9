#pragma once

#include "schedule/nest_view.h"
#include "schedule/rules/rules.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// Which dimension of the reduction runs along vector lanes, and whether activations are blocked
/// along it (NCHW8c) or stay as they are.
struct Style {
  std::size_t vector = 0;
  bool is_blocked = false;
};

/// The register tile: `rows` (and `rows2`) elements of row dimensions times `vectors` vectors.
struct Tile {
  std::int64_t rows2 = 1;
  std::int64_t rows = 1;
  std::int64_t vectors = 1;
  std::int64_t accumulators() const { return rows2 * rows * vectors; }
};

/// Order of the loops around the tile: which of the two tiled dimensions runs innermost, and how
/// many of its tiles make a block that the other one passes over.
struct Outer {
  bool is_vector_inner = false;
  std::int64_t block = 0;  // 0: not blocked
};

/// One of the loops over reduce axes, after splits.
struct ReduceLoop {
  AxisId id;
  std::int64_t extent = 1;
};

/// Everything that the tile rule decides about a reduction and the nest that consumes it.
/// Dimensions are those of the reduction's tensor; the consumer's axes correspond one to one.
struct TilePlan {
  const NestView& r;  // the reduction
  const NestView& e;  // its consumer
  std::int64_t lanes = 1;
  std::vector<ViewAxis> spatial;
  Style style;
  std::optional<std::size_t> rows, rows2;
  Tile tile;
  std::vector<ReduceLoop> reduce;   // outermost first
  std::int64_t reduce_unroll = 1;   // of the innermost
  bool is_window_unrolled = false;  // all of them are
  AxisId blocked_reduce = {};       // the reduce axis that runs in blocks of channels
  Outer outer;

  std::int64_t extent(std::size_t dim) const { return r.write.placed.tensor.shape[dim]; }
  const AxisId& r_axis(std::size_t dim) const { return spatial[dim].id; }
  const AxisId& e_axis(std::size_t dim) const { return e.axes[dim].id; }
  /// A dimension that the consumer reduces over: it stays a loop around the tile.
  bool is_outer_only(std::size_t dim) const { return e.axes[dim].is_reduce; }
  /// Elements of the vector dimension in one tile.
  std::int64_t panel() const { return tile.vectors * lanes; }
  /// Whether the tile reads other elements in each of its rows.
  bool moves_along_rows(const Access& read) const;
  /// An operand whose vectors would be gathered from distant elements.
  bool needs_packing(const Access& read) const;
};

bool is_param(const Program& program, const Access& access);

TilePlan decide_tile(RuleContext& context, const NestView& reduction, const NestView& consumer);
/// Appends the steps; gives the loops around the tile, outermost first.
std::vector<ViewAxis> append_tile_steps(RuleContext& context, const TilePlan& plan);
/// What the analytic prior expects: multiply-adds, loads and latency of the tile's inner loop, tail
/// tiles, the cost of entering a tile, and the traffic through the caches.
Estimate tile_estimate(const TilePlan& plan, const std::vector<ViewAxis>& outer_loops,
                       const RuleContext& context);

}  // namespace tessera
