#include "schedule/rules/layouts.h"
#include "schedule/rules/tile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

namespace tessera {
namespace {

class TileSteps {
 public:
  TileSteps(RuleContext& context, const TilePlan& plan) : context_(context), p_(plan) {}

  std::vector<ViewAxis> run() {
    choose_layouts();
    tile_consumer();
    tile_reduction();
    pack_operands();
    finish_consumer();
    return outer_loops_;
  }

 private:
  void choose_layouts();
  void choose_constant_layout(const Access& read);
  void choose_activation_layout(const Access& access, bool is_read);
  void tile_consumer();
  void choose_tile_layout();
  void tile_reduction();
  void pack_operands();
  void finish_consumer();
  void step(Step s) { context_.steps.push_back(std::move(s)); }

  RuleContext& context_;
  const TilePlan& p_;
  std::map<std::size_t, AxisId> inner_;  // the consumer's loop over the tile, per dimension
  std::vector<ViewAxis> outer_loops_;
};

/// Lays a constant out in the order in which the tile reads it: panels of the tile's side, then the
/// reduce loops, then the elements of one panel.
void TileSteps::choose_constant_layout(const Access& read) {
  std::vector<LayoutTerm> front, panels, inside, last;
  std::set<std::size_t> done;
  const auto add_tiled = [&](std::size_t r_dim, std::int64_t block) {
    const auto d = read.dim_of(p_.r_axis(r_dim));
    if (!d || done.contains(*d)) return;
    done.insert(*d);
    panels.push_back({.dim = static_cast<std::int64_t>(*d), .divide = block});
    last.push_back({.dim = static_cast<std::int64_t>(*d), .divide = 1, .modulo = block});
  };
  if (read.depends_on(p_.r_axis(p_.style.vector)))
    add_tiled(p_.style.vector, p_.panel());
  else if (p_.rows)
    add_tiled(*p_.rows, p_.tile.rows);
  for (const ReduceLoop& loop : p_.reduce) {
    const bool is_outer_part = !p_.blocked_reduce.empty() && loop.id == p_.blocked_reduce + ".0";
    const bool is_inner_part = !p_.blocked_reduce.empty() && loop.id == p_.blocked_reduce + ".1";
    const auto d = read.dim_of(is_outer_part || is_inner_part ? p_.blocked_reduce : loop.id);
    if (!d || (done.contains(*d) && !is_inner_part)) continue;
    done.insert(*d);
    inside.push_back({.dim = static_cast<std::int64_t>(*d),
                      .divide = is_outer_part ? p_.lanes : 1,
                      .modulo = is_inner_part ? p_.lanes : 0});
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
void TileSteps::choose_activation_layout(const Access& access, bool is_read) {
  const Tensor& tensor = access.placed.tensor;
  Layout layout = row_major(tensor.shape.size());
  // Read one channel at a time, a tensor is only worth blocking when its channels fill the blocks.
  const bool is_blocked =
      p_.style.is_blocked && tensor.shape.size() == 4 &&
      (access.depends_on(p_.r_axis(1)) || !is_read || tensor.shape[1] % p_.lanes == 0);
  if (is_blocked) layout = blocked_channels(p_.lanes);
  layout.halo = halo_of(access, p_.r);
  if (tensor.shape.size() == 2 && tensor.shape[1] * 4 % 4096 == 0 && tensor.shape[0] > 1)
    layout.terms.back().pad = 16;
  if (layout != row_major(tensor.shape.size())) choose_layout(context_, tensor.name, layout);
}

void TileSteps::choose_layouts() {
  std::set<TensorId> done{p_.r.tensor};
  for (const Access& read : p_.r.reads) {
    if (!is_param(context_.program, read) || !done.insert(read.placed.tensor.name).second) continue;
    if (read.is_constant)
      choose_constant_layout(read);
    else
      choose_activation_layout(read, true);
  }
  const Shape& shape = p_.e.write.placed.tensor.shape;
  for (const Access& read : p_.e.reads)
    if (is_param(context_.program, read) && read.placed.tensor.shape == shape &&
        done.insert(read.placed.tensor.name).second)
      choose_activation_layout(read, false);
  if (is_param(context_.program, p_.e.write)) choose_activation_layout(p_.e.write, false);
}

/// Cuts the consumer's loops into tiles and puts the tile innermost.
void TileSteps::tile_consumer() {
  const std::size_t v = p_.style.vector;
  std::vector<AxisId> inner;
  bool is_whole = p_.spatial.size() ==
                  (p_.rows ? 2U : 1U) + (p_.rows2 ? 1U : 0U);  // nothing outside the tile yet
  const auto cut = [&](std::size_t dim, std::int64_t size, std::int64_t block) {
    std::vector<ViewAxis> outer;
    const AxisId id = p_.e_axis(dim);
    if (size >= p_.extent(dim) && !(is_whole && dim == v)) {
      inner.push_back(inner_[dim] = id);
      return outer;
    }
    is_whole = false;
    size = std::min(size, p_.extent(dim));
    step(Split{id, {size}});
    inner.push_back(inner_[dim] = id + ".1");
    const std::int64_t tiles = ceil_div(p_.extent(dim), size);
    if (block > 0 && block < tiles) {
      step(Split{id + ".0", {block}});
      outer = {{id + ".0.0", ceil_div(tiles, block)}, {id + ".0.1", block}};
    } else {
      outer = {{id + ".0", tiles}};
    }
    return outer;
  };
  std::vector<ViewAxis> rows2, rows;
  if (p_.rows2) {
    if (p_.tile.rows2 == 1) {
      rows2 = {{p_.e_axis(*p_.rows2), p_.extent(*p_.rows2)}};
      is_whole = false;
    } else {
      rows2 = cut(*p_.rows2, p_.tile.rows2, 0);
    }
  }
  if (p_.rows) rows = cut(*p_.rows, p_.tile.rows, p_.outer.is_vector_inner ? 0 : p_.outer.block);
  std::vector<ViewAxis> vectors = cut(v, p_.panel(), p_.outer.is_vector_inner ? p_.outer.block : 0);

  const auto take_others = [&](bool is_reduce) {
    for (std::size_t d = 0; d < p_.spatial.size(); ++d)
      if (d != v && p_.rows != d && p_.rows2 != d && p_.is_outer_only(d) == is_reduce)
        outer_loops_.push_back({p_.e_axis(d), p_.extent(d), is_reduce});
  };
  take_others(false);
  // [blocks of the inner side] the other side, the inner side; the second row dimension follows the
  // rows.
  std::vector<ViewAxis>& inner_side = p_.outer.is_vector_inner ? vectors : rows;
  std::vector<ViewAxis>& other_side = p_.outer.is_vector_inner ? rows : vectors;
  const auto take = [&](const std::vector<ViewAxis>& loops) {
    outer_loops_.insert(outer_loops_.end(), loops.begin(), loops.end());
  };
  if (inner_side.size() == 2) {
    outer_loops_.push_back(inner_side.front());
    inner_side.erase(inner_side.begin());
  }
  take_others(true);
  if (p_.outer.is_vector_inner) take(rows2);
  take(other_side);
  if (!p_.outer.is_vector_inner) take(rows2);
  take(inner_side);
  std::vector<AxisId> order;
  for (const ViewAxis& a : outer_loops_) order.push_back(a.id);
  order.insert(order.end(), inner.begin(), inner.end());
  if (order.size() > 1) step(Reorder{order});
}

/// Whole vectors of the tile side by side: the vector dimension innermost, filled up to whole
/// vectors.
void TileSteps::choose_tile_layout() {
  Layout layout{.terms = {}, .halo = {}};
  for (std::size_t d = 0; d < p_.spatial.size(); ++d)
    if (d != p_.style.vector) layout.terms.push_back({.dim = static_cast<std::int64_t>(d)});
  const std::int64_t width = std::min(p_.panel(), p_.extent(p_.style.vector));
  const auto whole =
      width < p_.lanes ? static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(width)))
                       : ceil_div(width, p_.lanes) * p_.lanes;
  layout.terms.push_back({.dim = static_cast<std::int64_t>(p_.style.vector), .pad = whole - width});
  if (layout != row_major(p_.spatial.size())) step(ChooseLayout{p_.r.tensor, layout});
}

/// Computes the tile in registers: reduce loops around the unrolled rows and vectors, the longer
/// side streaming.
void TileSteps::tile_reduction() {
  check(!outer_loops_.empty(), "a loop around the tile");
  step(ComputeAt{p_.r.tensor, outer_loops_.back().id, Memory::Register});
  choose_tile_layout();
  std::vector<AxisId> order;
  if (!p_.blocked_reduce.empty()) step(Split{p_.blocked_reduce, {p_.lanes}});
  std::vector<AxisId> unrolled;
  for (const ReduceLoop& loop : p_.reduce) order.push_back(loop.id);
  if (p_.is_window_unrolled) {
    unrolled = order;
  } else if (!p_.reduce.empty() && p_.reduce_unroll > 1) {
    const ReduceLoop& last = p_.reduce.back();
    if (p_.reduce_unroll < last.extent) {
      step(Split{last.id, {p_.reduce_unroll}});
      order.back() = last.id + ".0";
      order.push_back(last.id + ".1");
    }
    unrolled.push_back(order.back());
  }
  const AxisId v = p_.r_axis(p_.style.vector);
  const std::int64_t width = std::min(p_.panel(), p_.extent(p_.style.vector));
  std::vector<AxisId> rows, vectors;
  if (p_.rows2 && p_.tile.rows2 > 1) rows.push_back(p_.r_axis(*p_.rows2));
  if (p_.rows && p_.tile.rows > 1) rows.push_back(p_.r_axis(*p_.rows));
  AxisId lane = v;
  if (width > p_.lanes) {
    step(Split{v, {p_.lanes}});
    vectors.push_back(v + ".0");
    lane = v + ".1";
  }
  const bool is_vector_held = p_.tile.vectors <= p_.tile.rows * p_.tile.rows2;
  for (const auto* part :
       is_vector_held ? std::array{&rows, &vectors} : std::array{&vectors, &rows})
    order.insert(order.end(), part->begin(), part->end());
  order.push_back(lane);
  if (order.size() > 1) step(Reorder{order});
  for (const auto* part : {&unrolled, &rows, &vectors})
    for (const AxisId& id : *part) step(Unroll{id});
  if (p_.extent(p_.style.vector) > 1) step(Vectorize{lane});
}

/// Copies panels of operands that are not contiguous along the vectors into scratch where they are.
void TileSteps::pack_operands() {
  const std::size_t v = p_.style.vector;
  for (const Access& read : p_.r.reads) {
    if (!p_.needs_packing(read)) continue;
    // The panel loop, or with one panel the last loop before the rows.
    AxisId at;
    for (const ViewAxis& a : outer_loops_)
      if (!(a.id == p_.e_axis(*p_.rows) || a.id.starts_with(p_.e_axis(*p_.rows) + "."))) at = a.id;
    if (at.empty()) continue;
    const std::size_t dim = *read.dim_of(p_.r_axis(v));
    Layout layout{.terms = {}, .halo = {}};
    for (std::size_t d = 0; d < read.dims.size(); ++d)
      if (d != dim) layout.terms.push_back({.dim = static_cast<std::int64_t>(d)});
    layout.terms.push_back({.dim = static_cast<std::int64_t>(dim)});
    step(CacheRead{read.placed.tensor.name, at, Memory::Stack, layout});
    AxisId lane = read.placed.tensor.name + ".pack." + std::to_string(dim);
    const AxisId last = read.placed.tensor.name + ".pack." + std::to_string(read.dims.size() - 1);
    if (std::min(p_.panel(), p_.extent(v)) > p_.lanes) {
      step(Split{lane, {p_.lanes}});
      if (dim + 1 < read.dims.size()) step(Reorder{{lane + ".0", last, lane + ".1"}});
      lane += ".1";
    } else if (dim + 1 < read.dims.size()) {
      step(Reorder{{last, lane}});
    }
    step(Vectorize{lane});
  }
}

/// Unrolls and vectorises the consumer's own loops over the tile.
void TileSteps::finish_consumer() {
  const std::size_t v = p_.style.vector;
  if (p_.rows2 && p_.tile.rows2 > 1) step(Unroll{inner_.at(*p_.rows2)});
  if (p_.rows && p_.tile.rows > 1) step(Unroll{inner_.at(*p_.rows)});
  AxisId lane = inner_.at(v);
  if (std::min(p_.panel(), p_.extent(v)) > p_.lanes) {
    step(Split{lane, {p_.lanes}});
    step(Unroll{lane + ".0"});
    lane += ".1";
  }
  if (p_.extent(v) > 1) step(Vectorize{lane});
}

}  // namespace

std::vector<ViewAxis> append_tile_steps(RuleContext& context, const TilePlan& plan) {
  return TileSteps(context, plan).run();
}

}  // namespace tessera
