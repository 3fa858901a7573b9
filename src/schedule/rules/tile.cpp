#include "ir/rewrite.h"
#include "ir/simplify.h"
#include "schedule/rules/layouts.h"
#include "schedule/rules/rules.h"
#include "schedule/rules/traffic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

namespace tessera {
namespace {

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

/// A reduce axis as the nest runs it: `inner` of its iterations inside all other reduce loops.
struct ReduceLoop {
  AxisId id;
  std::int64_t extent = 1;
};

class TileRule {
 public:
  TileRule(RuleContext& context, const NestView& reduction, const NestView& consumer)
      : context_(context), r_(reduction), e_(consumer), lanes_(context.target.f32_lanes()) {}

  void run() {
    style_ = pick_style();
    pick_rows();
    tile_ = pick_tile();
    pick_reduce_order();
    outer_ = pick_outer();
    choose_layouts();
    tile_consumer();
    tile_reduction();
    pack_operands();
    finish_consumer();
    const double cycles = estimate();
    context_.cycles += cycles;
    parallelise(context_, shared_loops(), cycles);
  }

 private:
  std::int64_t extent(std::size_t dim) const { return r_.write.placed.tensor.shape[dim]; }
  const AxisId& r_axis(std::size_t dim) const { return spatial_[dim].id; }
  const AxisId& e_axis(std::size_t dim) const { return e_.axes[dim].id; }
  /// A dimension that the consumer reduces over: it stays a loop around the tile.
  bool is_outer_only(std::size_t dim) const { return e_.axes[dim].is_reduce; }
  std::int64_t panel() const { return tile_.vectors * lanes_; }
  bool is_param(const Access& a) const {
    return std::any_of(context_.program.params.begin(), context_.program.params.end(),
                       [&](const Param& p) { return p.placed.tensor == a.placed.tensor; });
  }

  /// The loops to share among threads: those before a loop that reduces, or those after it.
  std::vector<ViewAxis> shared_loops() const {
    const auto reduce = std::find_if(outer_loops_.begin(), outer_loops_.end(),
                                     [](const ViewAxis& a) { return a.is_reduce; });
    if (reduce == outer_loops_.begin()) return {outer_loops_.begin() + 1, outer_loops_.end()};
    return {outer_loops_.begin(), reduce};
  }

  Style pick_style();
  void pick_rows();
  std::vector<Tile> tiles() const;
  Tile pick_tile();
  void pick_reduce_order();
  Outer pick_outer();
  void choose_layouts();
  void choose_constant_layout(const Access& read);
  void choose_activation_layout(const Access& access, bool is_read);
  void choose_tile_layout();
  void tile_consumer();
  void tile_reduction();
  bool needs_packing(const Access& read) const;
  void pack_operands();
  void finish_consumer();
  double estimate() const;
  template <typename T>
  T pick(const std::string& name, const std::vector<std::pair<std::string, T>>& options) {
    return context_.chooser.pick<T>(r_.tensor + "." + name, options);
  }
  void step(Step s) { context_.steps.push_back(std::move(s)); }

  RuleContext& context_;
  const NestView& r_;
  const NestView& e_;
  const std::int64_t lanes_;
  const std::vector<ViewAxis> spatial_ = r_.spatial();
  Style style_;
  std::optional<std::size_t> rows_, rows2_;
  Tile tile_;
  std::vector<ReduceLoop> reduce_;  // outermost first, after splits
  std::int64_t reduce_unroll_ = 1;
  bool is_window_unrolled_ = false;
  AxisId blocked_reduce_;  // the reduce axis that was cut into vector blocks
  Outer outer_;
  std::map<std::size_t, AxisId> inner_;  // the consumer's loop over the tile, per dimension
  std::vector<ViewAxis> outer_loops_;
};

/// Row-major: the last dimension. Blocked: dimension 1 of a tensor of four, as in NCHW8c.
Style TileRule::pick_style() {
  std::size_t last = spatial_.size() - 1;
  while (last > 0 && (extent(last) == 1 || is_outer_only(last))) --last;
  std::vector<std::pair<std::string, Style>> options;
  if (spatial_.size() == 4 && extent(1) * 2 >= lanes_ && is_param(e_.write)) {
    // Vectors along channels need one input channel for all lanes, or one for each.
    const bool is_clean = std::all_of(r_.reads.begin(), r_.reads.end(), [&](const Access& read) {
      return !read.depends_on(r_axis(1)) || read.dim_of(r_axis(1)).has_value();
    });
    if (is_clean) options.emplace_back("blocked", Style{1, true});
  }
  if (options.empty() || last != 1) options.emplace_back("plain", Style{last, false});
  return pick("layout", options);
}

/// Rows repeat work on one operand: some read does not move along them.
void TileRule::pick_rows() {
  std::vector<std::pair<std::string, std::size_t>> options;
  for (std::size_t d = spatial_.size(); d-- > 0;) {
    if (d == style_.vector || extent(d) == 1 || is_outer_only(d)) continue;
    const bool is_reused = std::any_of(r_.reads.begin(), r_.reads.end(),
                                       [&](const Access& a) { return !a.depends_on(r_axis(d)); });
    const bool is_linear = std::all_of(r_.reads.begin(), r_.reads.end(), [&](const Access& a) {
      return a.stride_of(r_axis(d)).has_value();
    });
    if (is_reused && is_linear) options.emplace_back(std::to_string(d), d);
  }
  if (options.empty()) return;
  rows_ = pick("rows", options);
  for (const auto& [name, d] : options)
    if (d != *rows_ && style_.is_blocked && !rows2_) rows2_ = d;
}

/// Tiles that fit the registers (accumulators, the smaller side held, one in flight) and keep the
/// multiply-adders busy: the product of the sides at least half of what fits.
std::vector<Tile> TileRule::tiles() const {
  const Target& target = context_.target;
  const std::int64_t registers = target.vector_registers - (target.vector_registers > 16 ? 1 : 0);
  const std::int64_t most_vectors =
      std::min<std::int64_t>(8, ceil_div(extent(style_.vector), lanes_));
  const std::int64_t most_rows = rows_ ? std::min<std::int64_t>(extent(*rows_), 28) : 1;
  const std::int64_t most_rows2 = rows2_ ? std::min<std::int64_t>(extent(*rows2_), 4) : 1;
  std::vector<Tile> all;
  std::int64_t largest = 0;
  for (std::int64_t rows2 = 1; rows2 <= most_rows2; ++rows2)
    for (std::int64_t rows = 1; rows <= most_rows; ++rows)
      for (std::int64_t vectors = 1; vectors <= most_vectors; ++vectors) {
        const Tile tile{rows2, rows, vectors};
        if (rows2 > 1 && rows != extent(*rows_)) continue;
        if (tile.accumulators() + std::min(rows * rows2, vectors) + 1 > registers) continue;
        all.push_back(tile);
        largest = std::max(largest, tile.accumulators());
      }
  std::erase_if(all, [&](const Tile& t) { return t.accumulators() * 2 < largest; });
  return all;
}

Tile TileRule::pick_tile() {
  std::vector<std::pair<std::string, Tile>> options;
  for (const Tile& t : tiles())
    options.emplace_back((t.rows2 > 1 ? std::to_string(t.rows2) + "x" : "") +
                             std::to_string(t.rows) + "x" + std::to_string(t.vectors),
                         t);
  return pick("tile", options);
}

/// Small windows (3x3) run unrolled inside the channel loop or around it; a long innermost loop is
/// unrolled a few times. In a blocked layout the channels of one block run innermost, where they
/// are contiguous.
void TileRule::pick_reduce_order() {
  std::vector<ReduceLoop> longs, windows;
  for (const ViewAxis& a : r_.reduce())
    (a.extent <= 7 ? windows : longs).push_back({a.id, a.extent});
  if (longs.size() == 1 && style_.is_blocked && longs[0].extent % lanes_ == 0 &&
      longs[0].extent > lanes_) {
    blocked_reduce_ = longs[0].id;
    longs = {{longs[0].id + ".0", longs[0].extent / lanes_}};
    windows.push_back({blocked_reduce_ + ".1", lanes_});
  }
  std::vector<std::pair<std::string, bool>> orders{{"windows_inner", false}};
  if (!longs.empty() && !windows.empty() && blocked_reduce_.empty())
    orders.emplace_back("windows_outer", true);
  const bool is_outer = pick("reduce_order", orders);
  reduce_ = is_outer ? windows : longs;
  for (const ReduceLoop& w : is_outer ? longs : windows) reduce_.push_back(w);

  if (reduce_.empty()) return;
  std::int64_t window_points = 1;
  for (const ReduceLoop& w : windows) window_points *= w.extent;
  std::vector<std::pair<std::string, std::int64_t>> unrolls;
  for (const std::int64_t u : {4, 2, 1, 8})
    if (reduce_.back().extent % u == 0 && (u == 1 || tile_.accumulators() * u <= 64))
      unrolls.emplace_back(std::to_string(u), u);
  // Whole window unrolled: 0.
  if (longs.empty() && window_points * tile_.accumulators() <= 200)
    unrolls.insert(unrolls.begin(), {"window", 0});
  if (reduce_.back().extent <= 7 && reduce_.back().extent > 1 && reduce_.back().extent % 2 != 0)
    unrolls.insert(unrolls.begin(), {std::to_string(reduce_.back().extent), reduce_.back().extent});
  reduce_unroll_ = pick("unroll", unrolls);
  is_window_unrolled_ = reduce_unroll_ == 0;
}

/// An operand whose vectors would be gathered from distant elements.
bool TileRule::needs_packing(const Access& read) const {
  const auto stride = read.stride_of(r_axis(style_.vector));
  return !style_.is_blocked && !read.is_constant && !read.is_padded && read.depends_on(r_axis(style_.vector)) &&
         (!stride || *stride != 1) && read.dim_of(r_axis(style_.vector)).has_value() && rows_.has_value();
}

Outer TileRule::pick_outer() {
  const std::int64_t row_tiles = rows_ ? ceil_div(extent(*rows_), tile_.rows) : 1;
  const std::int64_t vector_tiles = ceil_div(extent(style_.vector), panel());
  std::vector<std::pair<std::string, Outer>> options{{"rows_inner", {false, 0}},
                                                     {"vectors_inner", {true, 0}}};
  // A packed panel serves all rows before the next one is packed.
  const bool is_packed = std::any_of(r_.reads.begin(), r_.reads.end(), [&](const Access& a) { return needs_packing(a); });
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

/// Lays a constant out in the order in which the tile reads it: panels of the tile's side, then the
/// reduce loops, then the elements of one panel.
void TileRule::choose_constant_layout(const Access& read) {
  std::vector<LayoutTerm> front, panels, inside, last;
  std::set<std::size_t> done;
  const auto add_tiled = [&](std::size_t r_dim, std::int64_t block) {
    const auto d = read.dim_of(r_axis(r_dim));
    if (!d || done.contains(*d)) return;
    done.insert(*d);
    panels.push_back({.dim = static_cast<std::int64_t>(*d), .divide = block});
    last.push_back({.dim = static_cast<std::int64_t>(*d), .divide = 1, .modulo = block});
  };
  if (read.depends_on(r_axis(style_.vector)))
    add_tiled(style_.vector, panel());
  else if (rows_)
    add_tiled(*rows_, tile_.rows);
  for (const ReduceLoop& loop : reduce_) {
    const bool is_outer_part = !blocked_reduce_.empty() && loop.id == blocked_reduce_ + ".0";
    const bool is_inner_part = !blocked_reduce_.empty() && loop.id == blocked_reduce_ + ".1";
    const auto d = read.dim_of(is_outer_part || is_inner_part ? blocked_reduce_ : loop.id);
    if (!d || (done.contains(*d) && !is_inner_part)) continue;
    done.insert(*d);
    inside.push_back({.dim = static_cast<std::int64_t>(*d),
                      .divide = is_outer_part ? lanes_ : 1,
                      .modulo = is_inner_part ? lanes_ : 0});
  }
  for (std::size_t d = 0; d < read.dims.size(); ++d)
    if (!done.contains(d)) front.push_back({.dim = static_cast<std::int64_t>(d)});
  Layout layout{.terms = front, .halo = {}};
  for (const auto* part : {&panels, &inside, &last})
    layout.terms.insert(layout.terms.end(), part->begin(), part->end());
  if (!panels.empty()) step(ChooseLayout{read.placed.tensor.name, layout});
}

/// NCHW8c for blocked tensors, a halo for padded reads, and a longer row where rows would alias in
/// the cache.
void TileRule::choose_activation_layout(const Access& access, bool is_read) {
  const Tensor& tensor = access.placed.tensor;
  Layout layout = row_major(tensor.shape.size());
  // Read one channel at a time, a tensor is only worth blocking when its channels fill the blocks.
  const bool is_blocked =
      style_.is_blocked && tensor.shape.size() == 4 &&
      (access.depends_on(r_axis(1)) || !is_read || tensor.shape[1] % lanes_ == 0);
  if (is_blocked) layout = blocked_channels(lanes_);
  layout.halo = halo_of(access, r_);
  if (tensor.shape.size() == 2 && tensor.shape[1] * 4 % 4096 == 0 && tensor.shape[0] > 1)
    layout.terms.back().pad = 16;
  if (layout != row_major(tensor.shape.size())) step(ChooseLayout{tensor.name, layout});
}

void TileRule::choose_layouts() {
  std::set<TensorId> done{r_.tensor};
  for (const Access& read : r_.reads) {
    if (!done.insert(read.placed.tensor.name).second) continue;
    if (read.is_constant)
      choose_constant_layout(read);
    else if (is_param(read))
      choose_activation_layout(read, true);
  }
  const Shape& shape = e_.write.placed.tensor.shape;
  for (const Access& read : e_.reads)
    if (is_param(read) && read.placed.tensor.shape == shape &&
        done.insert(read.placed.tensor.name).second)
      choose_activation_layout(read, false);
  if (is_param(e_.write)) choose_activation_layout(e_.write, false);
}

/// Cuts the consumer's loops into tiles and puts the tile innermost.
void TileRule::tile_consumer() {
  const std::size_t v = style_.vector;
  std::vector<AxisId> inner;
  bool is_whole =
      spatial_.size() == (rows_ ? 2U : 1U) + (rows2_ ? 1U : 0U);  // nothing outside the tile yet
  const auto cut = [&](std::size_t dim, std::int64_t size, std::int64_t block) {
    std::vector<ViewAxis> outer;
    const AxisId id = e_axis(dim);
    if (size >= extent(dim) && !(is_whole && dim == v)) {
      inner.push_back(inner_[dim] = id);
      return outer;
    }
    is_whole = false;
    size = std::min(size, extent(dim));
    step(Split{id, {size}});
    inner.push_back(inner_[dim] = id + ".1");
    const std::int64_t tiles = ceil_div(extent(dim), size);
    if (block > 0 && block < tiles) {
      step(Split{id + ".0", {block}});
      outer = {{id + ".0.0", ceil_div(tiles, block)}, {id + ".0.1", block}};
    } else {
      outer = {{id + ".0", tiles}};
    }
    return outer;
  };
  std::vector<ViewAxis> rows2, rows;
  if (rows2_) {
    if (tile_.rows2 == 1) {
      rows2 = {{e_axis(*rows2_), extent(*rows2_)}};
      is_whole = false;
    } else {
      rows2 = cut(*rows2_, tile_.rows2, 0);
    }
  }
  if (rows_) rows = cut(*rows_, tile_.rows, outer_.is_vector_inner ? 0 : outer_.block);
  std::vector<ViewAxis> vectors = cut(v, panel(), outer_.is_vector_inner ? outer_.block : 0);

  const auto take_others = [&](bool is_reduce) {
    for (std::size_t d = 0; d < spatial_.size(); ++d)
      if (d != v && rows_ != d && rows2_ != d && is_outer_only(d) == is_reduce)
        outer_loops_.push_back({e_axis(d), extent(d), is_reduce});
  };
  take_others(false);
  // [blocks of the inner side] the other side, the inner side; the second row dimension follows the
  // rows.
  std::vector<ViewAxis>& inner_side = outer_.is_vector_inner ? vectors : rows;
  std::vector<ViewAxis>& other_side = outer_.is_vector_inner ? rows : vectors;
  const auto take = [&](const std::vector<ViewAxis>& loops) {
    outer_loops_.insert(outer_loops_.end(), loops.begin(), loops.end());
  };
  if (inner_side.size() == 2) {
    outer_loops_.push_back(inner_side.front());
    inner_side.erase(inner_side.begin());
  }
  take_others(true);
  if (outer_.is_vector_inner) take(rows2);
  take(other_side);
  if (!outer_.is_vector_inner) take(rows2);
  take(inner_side);
  std::vector<AxisId> order;
  for (const ViewAxis& a : outer_loops_) order.push_back(a.id);
  order.insert(order.end(), inner.begin(), inner.end());
  if (order.size() > 1) step(Reorder{order});
}

/// Whole vectors of the tile side by side: the vector dimension innermost, filled up to whole
/// vectors.
void TileRule::choose_tile_layout() {
  Layout layout{.terms = {}, .halo = {}};
  for (std::size_t d = 0; d < spatial_.size(); ++d)
    if (d != style_.vector) layout.terms.push_back({.dim = static_cast<std::int64_t>(d)});
  const std::int64_t width = std::min(panel(), extent(style_.vector));
  const auto whole =
      width < lanes_ ? static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(width)))
                     : ceil_div(width, lanes_) * lanes_;
  layout.terms.push_back({.dim = static_cast<std::int64_t>(style_.vector), .pad = whole - width});
  if (layout != row_major(spatial_.size())) step(ChooseLayout{r_.tensor, layout});
}

/// Computes the tile in registers: reduce loops around the unrolled rows and vectors, the longer
/// side streaming.
void TileRule::tile_reduction() {
  check(!outer_loops_.empty(), "a loop around the tile");
  step(ComputeAt{r_.tensor, outer_loops_.back().id, Memory::Register});
  choose_tile_layout();
  std::vector<AxisId> order;
  if (!blocked_reduce_.empty()) step(Split{blocked_reduce_, {lanes_}});
  std::vector<AxisId> unrolled;
  for (const ReduceLoop& loop : reduce_) order.push_back(loop.id);
  if (is_window_unrolled_) {
    unrolled = order;
  } else if (!reduce_.empty() && reduce_unroll_ > 1) {
    const ReduceLoop& last = reduce_.back();
    if (reduce_unroll_ < last.extent) {
      step(Split{last.id, {reduce_unroll_}});
      order.back() = last.id + ".0";
      order.push_back(last.id + ".1");
    }
    unrolled.push_back(order.back());
  }
  const AxisId v = r_axis(style_.vector);
  const std::int64_t width = std::min(panel(), extent(style_.vector));
  std::vector<AxisId> rows, vectors;
  if (rows2_ && tile_.rows2 > 1) rows.push_back(r_axis(*rows2_));
  if (rows_ && tile_.rows > 1) rows.push_back(r_axis(*rows_));
  AxisId lane = v;
  if (width > lanes_) {
    step(Split{v, {lanes_}});
    vectors.push_back(v + ".0");
    lane = v + ".1";
  }
  const bool is_vector_held = tile_.vectors <= tile_.rows * tile_.rows2;
  for (const auto* part :
       is_vector_held ? std::array{&rows, &vectors} : std::array{&vectors, &rows})
    order.insert(order.end(), part->begin(), part->end());
  order.push_back(lane);
  if (order.size() > 1) step(Reorder{order});
  for (const auto* part : {&unrolled, &rows, &vectors})
    for (const AxisId& id : *part) step(Unroll{id});
  if (extent(style_.vector) > 1) step(Vectorize{lane});
}

/// Copies panels of operands that are not contiguous along the vectors into scratch where they are.
void TileRule::pack_operands() {
  const std::size_t v = style_.vector;
  for (const Access& read : r_.reads) {
    if (!needs_packing(read)) continue;
    // The panel loop, or with one panel the last loop before the rows.
    AxisId at;
    for (const ViewAxis& a : outer_loops_)
      if (!(a.id == e_axis(*rows_) || a.id.starts_with(e_axis(*rows_) + "."))) at = a.id;
    if (at.empty()) continue;
    const std::size_t dim = *read.dim_of(r_axis(v));
    Layout layout{.terms = {}, .halo = {}};
    for (std::size_t d = 0; d < read.dims.size(); ++d)
      if (d != dim) layout.terms.push_back({.dim = static_cast<std::int64_t>(d)});
    layout.terms.push_back({.dim = static_cast<std::int64_t>(dim)});
    step(CacheRead{read.placed.tensor.name, at, Memory::Stack, layout});
    AxisId lane = read.placed.tensor.name + ".pack." + std::to_string(dim);
    const AxisId last = read.placed.tensor.name + ".pack." + std::to_string(read.dims.size() - 1);
    if (std::min(panel(), extent(v)) > lanes_) {
      step(Split{lane, {lanes_}});
      if (dim + 1 < read.dims.size()) step(Reorder{{lane + ".0", last, lane + ".1"}});
      lane += ".1";
    } else if (dim + 1 < read.dims.size()) {
      step(Reorder{{last, lane}});
    }
    step(Vectorize{lane});
  }
}

/// Unrolls and vectorises the consumer's own loops over the tile.
void TileRule::finish_consumer() {
  const std::size_t v = style_.vector;
  if (rows2_ && tile_.rows2 > 1) step(Unroll{inner_.at(*rows2_)});
  if (rows_ && tile_.rows > 1) step(Unroll{inner_.at(*rows_)});
  AxisId lane = inner_.at(v);
  if (std::min(panel(), extent(v)) > lanes_) {
    step(Split{lane, {lanes_}});
    step(Unroll{lane + ".0"});
    lane += ".1";
  }
  if (extent(v) > 1) step(Vectorize{lane});
}

/// Multiply-adds, loads and latency of the tile's inner loop, tail tiles, the cost of entering a
/// tile, and the traffic through the caches.
double TileRule::estimate() const {
  const Target& target = context_.target;
  double reduce_points = 1;
  for (const ReduceLoop& loop : reduce_) reduce_points *= static_cast<double>(loop.extent);
  const auto tile_cycles = [&](std::int64_t rows, std::int64_t vectors) {
    const auto all_rows = static_cast<double>(rows * tile_.rows2);
    const double accumulators = all_rows * static_cast<double>(vectors);
    double loads = 0;
    for (const Access& read : r_.reads) {
      const bool is_vector = read.depends_on(r_axis(style_.vector));
      const bool is_row = (rows_ && read.depends_on(r_axis(*rows_))) ||
                          (rows2_ && read.depends_on(r_axis(*rows2_)));
      double count = (is_vector ? static_cast<double>(vectors) : 1.0) * (is_row ? all_rows : 1.0);
      const auto stride = read.stride_of(r_axis(style_.vector));
      const bool is_contiguous = read.is_constant || style_.is_blocked || needs_packing(read) || (stride && *stride <= 1);
      if (is_vector && !is_contiguous) count *= 1.5 * static_cast<double>(lanes_);
      // A window that slides along the vector reads across cache lines.
      const bool is_sliding = !style_.is_blocked && read.dims.back().terms.size() > 1;
      if (is_vector && is_sliding) count *= 1.5;
      loads += count;
    }
    const auto fma = static_cast<double>(target.fma_per_cycle);
    const double per_point =
        std::max({accumulators / fma * (target.has_fma ? 1.0 : 2.0),
                  loads / static_cast<double>(target.loads_per_cycle),
                  static_cast<double>(target.fma_latency) + 0.5, (accumulators + loads) / 5.0});
    const double unroll = is_window_unrolled_ ? reduce_points : static_cast<double>(reduce_unroll_);
    const double written = e_.has_reducer ? 4.0 : 1.5;
    return reduce_points * (per_point + 0.4 / unroll) + 12 + accumulators * (written + e_.operations * 0.5);
  };
  const std::int64_t row_extent = rows_ ? extent(*rows_) : 1;
  const std::int64_t vector_extent = ceil_div(extent(style_.vector), lanes_);
  double cycles = 0;
  for (const std::int64_t rows : {tile_.rows, row_extent % tile_.rows})
    for (const std::int64_t vectors : {tile_.vectors, vector_extent % tile_.vectors}) {
      if (rows == 0 || vectors == 0) continue;
      const std::int64_t row_tiles = rows == tile_.rows ? row_extent / tile_.rows : 1;
      const std::int64_t vector_tiles =
          vectors == tile_.vectors ? vector_extent / tile_.vectors : 1;
      cycles += static_cast<double>(row_tiles * vector_tiles) * tile_cycles(rows, vectors);
      if (rows == row_extent % tile_.rows && rows == tile_.rows) break;
    }
  double others = 1;
  for (std::size_t d = 0; d < spatial_.size(); ++d)
    if (d != style_.vector && rows_ != d && rows2_ != d) others *= static_cast<double>(extent(d));
  if (rows2_) others *= static_cast<double>(ceil_div(extent(*rows2_), tile_.rows2));
  cycles *= others;
  for (const Access& read : r_.reads)
    if (needs_packing(read)) cycles += 1.2 * static_cast<double>(element_count(read.placed.tensor.shape));

  std::vector<TrafficLoop> loops;
  for (const ViewAxis& a : outer_loops_) {
    for (std::size_t d = 0; d < spatial_.size(); ++d) {
      if (!(a.id == e_axis(d) || a.id.starts_with(e_axis(d) + "."))) continue;
      std::int64_t size = 1;
      if (d == style_.vector) size = std::min(panel(), extent(d));
      if (rows_ == d) size = tile_.rows;
      if (rows2_ == d) size = tile_.rows2;
      if (a.id.ends_with(".0.0")) size *= outer_.block;
      loops.push_back({r_axis(d), a.extent, size});
    }
  }
  for (const ReduceLoop& loop : reduce_) {
    const bool is_part = !blocked_reduce_.empty() && loop.id.starts_with(blocked_reduce_ + ".");
    loops.push_back({is_part ? blocked_reduce_ : loop.id, loop.extent,
                     is_part && loop.id.ends_with(".0") ? lanes_ : 1});
  }
  loops.push_back({r_axis(style_.vector), std::min(panel(), extent(style_.vector)), 1});
  if (rows_) loops.push_back({r_axis(*rows_), tile_.rows, 1});
  if (rows2_) loops.push_back({r_axis(*rows2_), tile_.rows2, 1});
  const double moved = traffic_cycles(r_.reads, loops, target);
  return std::max(cycles, moved) + 0.1 * std::min(cycles, moved);
}

}  // namespace

void tile_rule(RuleContext& context, const NestView& reduction, const NestView& consumer) {
  TileRule(context, reduction, consumer).run();
}

}  // namespace tessera
