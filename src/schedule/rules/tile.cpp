#include "schedule/rules/tile.h"

#include "schedule/rules/layouts.h"

#include <algorithm>

namespace tessera {

bool is_param(const Program& program, const Access& access) {
  return std::any_of(program.params.begin(), program.params.end(),
                     [&](const Param& p) { return p.placed.tensor == access.placed.tensor; });
}

bool TilePlan::moves_along_rows(const Access& read) const {
  const auto moves = [&](const std::optional<std::size_t>& dim) {
    return dim && read.depends_on(r_axis(*dim)) && !read.block_of(r_axis(*dim));
  };
  return moves(rows) || moves(rows2);
}

bool TilePlan::needs_packing(const Access& read) const {
  const auto stride = read.stride_of(r_axis(style.vector));
  return !style.is_blocked && !read.is_constant && !read.is_padded &&
         read.depends_on(r_axis(style.vector)) && (!stride || *stride != 1) &&
         read.dim_of(r_axis(style.vector)).has_value() && rows.has_value();
}

namespace {

class TileDecisions {
 public:
  TileDecisions(RuleContext& context, const NestView& reduction, const NestView& consumer)
      : context_(context),
        p_{.r = reduction,
           .e = consumer,
           .lanes = context.target.f32_lanes(),
           .spatial = reduction.spatial(),
           .style = {},
           .rows = {},
           .rows2 = {},
           .tile = {},
           .reduce = {},
           .outer = {}} {}

  TilePlan run() {
    p_.style = pick_style();
    pick_rows();
    p_.tile = pick_tile();
    pick_reduce_order();
    p_.outer = pick_outer();
    return p_;
  }

 private:
  Style pick_style();
  void pick_rows();
  bool stays_in_blocks(std::int64_t rows) const;
  std::vector<Tile> tiles() const;
  Tile pick_tile();
  void pick_reduce_order();
  Outer pick_outer();
  template <typename T>
  T pick(const std::string& name, const std::vector<std::pair<std::string, T>>& options) {
    return context_.chooser.pick<T>(p_.r.tensor + "." + name, options);
  }

  RuleContext& context_;
  TilePlan p_;
};

/// Row-major: the last dimension. Blocked: dimension 1 of a tensor of four, as in NCHW8c.
Style TileDecisions::pick_style() {
  std::size_t last = p_.spatial.size() - 1;
  while (last > 0 && (p_.extent(last) == 1 || p_.is_outer_only(last))) --last;
  std::vector<std::pair<std::string, Style>> options;
  if (p_.spatial.size() == 4 && p_.extent(1) * 2 >= p_.lanes &&
      is_param(context_.program, p_.e.write)) {
    // Vectors along channels need one input channel for all lanes, or one for each.
    const bool is_clean =
        std::all_of(p_.r.reads.begin(), p_.r.reads.end(), [&](const Access& read) {
          return !read.depends_on(p_.r_axis(1)) || read.dim_of(p_.r_axis(1)).has_value();
        });
    if (is_clean) options.emplace_back("blocked", Style{1, true});
  }
  if (options.empty() || last != 1) options.emplace_back("plain", Style{last, false});
  if (const auto given = context_.settled.find(p_.e.write.placed.tensor.name);
      given != context_.settled.end()) {
    const bool is_blocked = has_blocked_channels(given->second, p_.lanes);
    const auto differs = [&](const auto& option) { return option.second.is_blocked != is_blocked; };
    if (!std::all_of(options.begin(), options.end(), differs)) std::erase_if(options, differs);
  }
  return pick("layout", options);
}

/// Rows repeat work on one operand: some read does not move along them.
void TileDecisions::pick_rows() {
  std::vector<std::pair<std::string, std::size_t>> options;
  for (std::size_t d = p_.spatial.size(); d-- > 0;) {
    if (d == p_.style.vector || p_.extent(d) == 1 || p_.is_outer_only(d)) continue;
    const AxisId& id = p_.r_axis(d);
    const bool is_reused = std::any_of(p_.r.reads.begin(), p_.r.reads.end(), [&](const Access& a) {
      return !a.depends_on(id) || a.block_of(id);
    });
    const bool is_linear = std::all_of(p_.r.reads.begin(), p_.r.reads.end(), [&](const Access& a) {
      return a.stride_of(id) || a.block_of(id);
    });
    if (is_reused && is_linear) options.emplace_back(std::to_string(d), d);
  }
  if (options.empty()) return;
  p_.rows = pick("rows", options);
  for (const auto& [name, d] : options)
    if (d != *p_.rows && p_.style.is_blocked && !p_.rows2) p_.rows2 = d;
}

/// Whether tiles of so many rows never cross a group (as of a grouped convolution's channels).
bool TileDecisions::stays_in_blocks(std::int64_t rows) const {
  return std::all_of(p_.r.reads.begin(), p_.r.reads.end(), [&](const Access& read) {
    const auto block = p_.rows ? read.block_of(p_.r_axis(*p_.rows)) : std::nullopt;
    return !block || *block % rows == 0;
  });
}

/// Tiles that fit the registers (accumulators, the smaller side held, one in flight) and keep the
/// multiply-adders busy: the product of the sides at least half of what fits.
std::vector<Tile> TileDecisions::tiles() const {
  const Target& target = context_.target;
  const std::int64_t registers = target.vector_registers - (target.vector_registers > 16 ? 1 : 0);
  const std::int64_t most_vectors =
      std::min<std::int64_t>(8, ceil_div(p_.extent(p_.style.vector), p_.lanes));
  const std::int64_t most_rows = p_.rows ? std::min<std::int64_t>(p_.extent(*p_.rows), 28) : 1;
  const std::int64_t most_rows2 = p_.rows2 ? std::min<std::int64_t>(p_.extent(*p_.rows2), 4) : 1;
  std::vector<Tile> all;
  std::int64_t largest = 0;
  for (std::int64_t rows2 = 1; rows2 <= most_rows2; ++rows2)
    for (std::int64_t rows = 1; rows <= most_rows; ++rows)
      for (std::int64_t vectors = 1; vectors <= most_vectors; ++vectors) {
        const Tile tile{rows2, rows, vectors};
        if (rows2 > 1 && rows != p_.extent(*p_.rows)) continue;
        if (!stays_in_blocks(rows)) continue;
        if (tile.accumulators() + std::min(rows * rows2, vectors) + 1 > registers) continue;
        all.push_back(tile);
        largest = std::max(largest, tile.accumulators());
      }
  std::erase_if(all, [&](const Tile& t) { return t.accumulators() * 2 < largest; });
  return all;
}

Tile TileDecisions::pick_tile() {
  std::vector<std::pair<std::string, Tile>> options;
  for (const Tile& t : tiles())
    options.emplace_back((t.rows2 > 1 ? std::to_string(t.rows2) + "x" : "") +
                             std::to_string(t.rows) + "x" + std::to_string(t.vectors),
                         t);
  return pick("tile", options);
}

/// Small windows (3x3) run unrolled inside the channel loop or around it; a long innermost loop
/// is unrolled a few times. In a blocked layout the channels of one block run innermost, where
/// they are contiguous.
void TileDecisions::pick_reduce_order() {
  std::vector<ReduceLoop> longs, windows;
  for (const ViewAxis& a : p_.r.reduce())
    (a.extent <= 7 ? windows : longs).push_back({a.id, a.extent});
  if (longs.size() == 1 && p_.style.is_blocked && longs[0].extent % p_.lanes == 0 &&
      longs[0].extent > p_.lanes) {
    p_.blocked_reduce = longs[0].id;
    longs = {{longs[0].id + ".0", longs[0].extent / p_.lanes}};
    windows.push_back({p_.blocked_reduce + ".1", p_.lanes});
  }
  std::vector<std::pair<std::string, bool>> orders{{"windows_inner", false}};
  if (!longs.empty() && !windows.empty() && p_.blocked_reduce.empty())
    orders.emplace_back("windows_outer", true);
  const bool is_outer = pick("reduce_order", orders);
  p_.reduce = is_outer ? windows : longs;
  for (const ReduceLoop& w : is_outer ? longs : windows) p_.reduce.push_back(w);

  if (p_.reduce.empty()) return;
  std::int64_t window_points = 1;
  for (const ReduceLoop& w : windows) window_points *= w.extent;
  std::vector<std::pair<std::string, std::int64_t>> unrolls;
  for (const std::int64_t u : {4, 2, 1, 8})
    if (p_.reduce.back().extent % u == 0 && (u == 1 || p_.tile.accumulators() * u <= 64))
      unrolls.emplace_back(std::to_string(u), u);
  // Whole window unrolled: 0.
  // Sliding windows then share their loads, which stay in registers beside the accumulators.
  if (longs.empty() && window_points * p_.tile.accumulators() <= 200 &&
      p_.tile.accumulators() * 2 <= context_.target.vector_registers)
    unrolls.insert(unrolls.begin(), {"window", 0});
  if (p_.reduce.back().extent <= 7 && p_.reduce.back().extent > 1 &&
      p_.reduce.back().extent % 2 != 0)
    unrolls.insert(unrolls.begin(),
                   {std::to_string(p_.reduce.back().extent), p_.reduce.back().extent});
  p_.reduce_unroll = pick("unroll", unrolls);
  p_.is_window_unrolled = p_.reduce_unroll == 0;
}

Outer TileDecisions::pick_outer() {
  const std::int64_t row_tiles = p_.rows ? ceil_div(p_.extent(*p_.rows), p_.tile.rows) : 1;
  const std::int64_t vector_tiles = ceil_div(p_.extent(p_.style.vector), p_.panel());
  std::vector<std::pair<std::string, Outer>> options{{"rows_inner", {false, 0}},
                                                     {"vectors_inner", {true, 0}}};
  // A packed panel serves all rows before the next one is packed.
  const bool is_packed = std::any_of(p_.r.reads.begin(), p_.r.reads.end(),
                                     [&](const Access& a) { return p_.needs_packing(a); });
  if (row_tiles == 1 || vector_tiles == 1 || is_packed) options.pop_back();
  for (const std::int64_t block : {2, 4, 8, 16, 32}) {
    if (options.size() < 2) break;
    if (block < row_tiles)
      options.emplace_back("rows_inner_" + std::to_string(block), Outer{false, block});
    if (block < vector_tiles)
      options.emplace_back("vectors_inner_" + std::to_string(block), Outer{true, block});
  }
  return pick("outer", options);
}

/// Whether a loop around the tile runs over its rows.
bool is_over_rows(const TilePlan& plan, const ViewAxis& loop) {
  return plan.rows &&
         (loop.id == plan.e_axis(*plan.rows) || loop.id.starts_with(plan.e_axis(*plan.rows) + "."));
}

/// Whether each block of tiles has as many as the others.
bool fills_blocks(const TilePlan& p) {
  if (p.outer.block == 0) return true;
  const std::int64_t tiles = p.outer.is_vector_inner ? ceil_div(p.extent(p.style.vector), p.panel())
                                                     : ceil_div(p.extent(*p.rows), p.tile.rows);
  return tiles % p.outer.block == 0;
}
bool is_within_block(const ViewAxis& loop) { return loop.id.ends_with(".0.1"); }

/// The loops to share among threads: those before a loop that reduces, or those after it. Panels
/// are packed outside the loops over rows, which are not shared then.
std::vector<ViewAxis> shared_loops(const TilePlan& plan, std::vector<ViewAxis> outer) {
  const bool is_packed = std::any_of(plan.r.reads.begin(), plan.r.reads.end(),
                                     [&](const Access& read) { return plan.needs_packing(read); });
  while (is_packed && outer.size() > 1 && is_over_rows(plan, outer.back())) outer.pop_back();
  if (!fills_blocks(plan))
    outer.erase(std::find_if(outer.begin(), outer.end(), is_within_block), outer.end());
  const auto reduce =
      std::find_if(outer.begin(), outer.end(), [](const ViewAxis& a) { return a.is_reduce; });
  if (reduce == outer.begin()) return {outer.begin() + 1, outer.end()};
  return {outer.begin(), reduce};
}

}  // namespace

TilePlan decide_tile(RuleContext& context, const NestView& reduction, const NestView& consumer) {
  return TileDecisions(context, reduction, consumer).run();
}

void tile_rule(RuleContext& context, const NestView& reduction, const NestView& consumer) {
  const TilePlan plan = decide_tile(context, reduction, consumer);
  const std::vector<ViewAxis> outer = append_tile_steps(context, plan);
  const Estimate estimate = tile_estimate(plan, outer, context);
  context.estimate +=
      estimate.lengthened(parallelise(context, shared_loops(plan, outer), estimate.cycles));
}

}  // namespace tessera
