#include "schedule/rules/layouts.h"
#include "schedule/rules/rules.h"
#include "schedule/rules/traffic.h"

#include <algorithm>

namespace tessera {
namespace {

/// Tiles that are handled together: `rows` tile rows of `columns` tiles. More than one row means
/// whole rows.
struct TileBlock {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

class WinogradRule {
 public:
  WinogradRule(RuleContext& context, const std::vector<NestView>& nests)
      : context_(context),
        w_(nests[0]),
        v_(nests[1]),
        product_(nests[2]),
        m_(nests[3]),
        z_(nests[4]),
        out_(nests[5]) {}

  void run() {
    block_ = pick_block();
    choose_layouts();
    tile_output();
    step(ComputeAt{z_.tensor, id(out_, 1) + ".0", Memory::Stack});
    step(ComputeAt{m_.tensor, anchor_, block_memory()});
    multiply();
    step(ComputeAt{v_.tensor, anchor_, block_memory()});
    transform_input();
    transform_output();
    if (is_shared_by_block())
      context_.estimate =
          context_.estimate.lengthened(parallelise(context_, blocks_, context_.estimate.cycles));
  }

 private:
  static const AxisId& id(const NestView& nest, std::size_t axis) { return nest.axes[axis].id; }
  void step(Step s) { context_.steps.push_back(std::move(s)); }
  std::int64_t tile_rows() const { return ceil_div(out_.axes[2].extent, m_size_); }
  std::int64_t tile_columns() const { return ceil_div(out_.axes[3].extent, m_size_); }
  std::int64_t block_tiles() const { return block_.rows * block_.columns; }
  std::int64_t block_count() const {
    return out_.axes[0].extent * ceil_div(tile_rows(), block_.rows) *
           ceil_div(tile_columns(), block_.columns);
  }
  bool is_shared_by_block() const { return block_count() >= 2 * context_.target.cores; }

  std::int64_t tile_bytes() const;
  Memory block_memory() const { return is_shared_by_block() ? Memory::Stack : Memory::Global; }

  TileBlock pick_block();
  void choose_layouts();
  void tile_output();
  void multiply();
  void transform_input();
  void add_transform(double arithmetic, double moved, const std::vector<ViewAxis>& shared);
  void transform_output();

  RuleContext& context_;
  const NestView &w_, &v_, &product_, &m_, &z_, &out_;
  const std::int64_t lanes_ = context_.target.f32_lanes();
  const std::int64_t m_size_ = z_.axes[0].extent;
  TileBlock block_;
  std::vector<ViewAxis> blocks_;  // the loops over blocks
  AxisId anchor_;                 // the innermost of them
  std::vector<ViewAxis> tiles_;   // the loops over the tiles of a block
};

std::int64_t WinogradRule::tile_bytes() const {
  const std::int64_t a = m_size_ + 2;
  return a * a * 4 * (v_.axes[3].extent + 16 + m_.axes[3].extent);
}

/// All tiles, so that weights are read once and all threads share the work; or as many rows of them
/// as scratch holds, so that the transformed data stay in the cache of one thread.
TileBlock WinogradRule::pick_block() {
  std::vector<std::pair<std::string, TileBlock>> options;
  const auto offer = [&](std::int64_t rows, std::int64_t columns) {
    block_ = {rows, columns};
    const bool is_whole = rows == tile_rows() && columns == tile_columns();
    if ((is_whole && !is_shared_by_block()) ||
        block_tiles() * tile_bytes() <= context_.target.stack_bytes * 9 / 10)
      options.emplace_back(std::to_string(rows) + "x" + std::to_string(columns),
                           TileBlock{rows, columns});
  };
  for (std::int64_t rows = tile_rows(); rows >= 1; --rows)
    if (tile_rows() % rows == 0) offer(rows, tile_columns());
  for (std::int64_t columns = tile_columns() - 1; columns >= 4; --columns)
    if (tile_columns() % columns == 0) offer(1, columns);
  if (options.empty()) options.emplace_back("1x1", TileBlock{1, 1});
  return context_.chooser.pick<TileBlock>(v_.tensor + ".block", options);
}

void WinogradRule::choose_layouts() {
  const TensorId& input = w_.reads[0].placed.tensor.name;  // every read is of the one input
  Layout layout = blocked_channels(lanes_);
  for (const Access& read : w_.reads) layout.halo = united(layout.halo, halo_of(read, w_));
  choose_layout(context_, input, layout);
  const Tensor& output = out_.write.placed.tensor;
  choose_layout(context_, output.name, blocked_channels(lanes_));
  for (const Access& read : out_.reads)
    if (read.placed.tensor.shape == output.shape && read.placed.tensor.name != input)
      choose_layout(context_, read.placed.tensor.name, blocked_channels(lanes_));
}

/// Loops over blocks outside, then the tiles of a block, vectors of channels, and the pixels of a
/// tile.
void WinogradRule::tile_output() {
  const AxisId n = id(out_, 0), o = id(out_, 1), y = id(out_, 2), x = id(out_, 3);
  blocks_ = {{n, out_.axes[0].extent}};
  const auto cut = [&](const AxisId& axis, std::int64_t count, std::int64_t block) {
    step(Split{axis, {m_size_}});
    if (block >= count) {
      tiles_.push_back({axis + ".0", count});
      return;
    }
    step(Split{axis + ".0", {block}});
    blocks_.push_back({axis + ".0.0", ceil_div(count, block)});
    tiles_.push_back({axis + ".0.1", block});
  };
  cut(y, tile_rows(), block_.rows);
  cut(x, tile_columns(), block_.columns);
  step(Split{o, {lanes_}});
  std::vector<AxisId> order;
  for (const ViewAxis& a : blocks_) order.push_back(a.id);
  anchor_ = order.back();
  for (const ViewAxis& a : tiles_) order.push_back(a.id);
  for (const AxisId& axis : {o + ".0", y + ".1", x + ".1", o + ".1"}) order.push_back(axis);
  step(Reorder{order});
}

/// The matrix products of one block, tiled like any other.
void WinogradRule::multiply() {
  NestView product = product_, m = m_;
  const std::int64_t tiles = block_tiles();
  for (NestView* nest : {&product, &m}) {
    nest->axes[2].extent = tiles;
    nest->write.placed.tensor.shape[2] = tiles;
  }
  Estimate estimate;
  RuleContext inner{context_.program, context_.target, context_.settled,     context_.chooser,
                    context_.steps,   estimate,        !is_shared_by_block()};
  tile_rule(inner, product, m);
  context_.estimate += estimate * static_cast<double>(block_count());
}

/// Adds what one takes; its loops are shared among threads where blocks are not.
void WinogradRule::add_transform(double arithmetic, double moved,
                                 const std::vector<ViewAxis>& shared) {
  Estimate estimate{.cycles = arithmetic + moved};
  estimate[EstimatePart::Arithmetic] = arithmetic;
  estimate[EstimatePart::BehindL2] = moved;
  if (!is_shared_by_block())
    estimate = estimate.lengthened(parallelise(context_, shared, estimate.cycles));
  context_.estimate += estimate;
}

/// Both one-dimensional transforms of a tile for one vector of channels: `w` is scratch between
/// them.
void WinogradRule::transform_input() {
  const AxisId t = id(v_, 2), c = id(v_, 3);
  const Tensor& v = v_.write.placed.tensor;
  step(ChooseLayout{
      v.name, {.terms = {{.dim = 0}, {.dim = 1}, {.dim = 2}, {.dim = 3, .pad = 16}}, .halo = {}}});
  step(Split{c, {lanes_}});
  step(Reorder{{t, c + ".0", id(v_, 0), id(v_, 1), c + ".1"}});
  step(ComputeAt{w_.tensor, c + ".0", Memory::Stack});
  for (const NestView* nest : {&w_, &v_}) {
    step(Unroll{id(*nest, 0)});
    step(Unroll{id(*nest, 1)});
  }
  step(Vectorize{id(w_, 3)});
  step(Vectorize{c + ".1"});
  const double vectors =
      static_cast<double>(v_.axes[2].extent * ceil_div(v_.axes[3].extent, lanes_));
  const auto a = static_cast<double>(m_size_ + 2);
  add_transform(vectors * a * a * 5, 0, {{t, block_tiles()}});
}

void WinogradRule::transform_output() {
  step(Unroll{id(z_, 0)});
  step(Unroll{id(z_, 1)});
  step(Vectorize{id(z_, 3)});
  step(Unroll{id(out_, 2) + ".1"});
  step(Unroll{id(out_, 3) + ".1"});
  step(Vectorize{id(out_, 1) + ".1"});
  const double vectors =
      static_cast<double>(m_.axes[2].extent * ceil_div(m_.axes[3].extent, lanes_));
  const auto a = static_cast<double>(m_size_ + 2);
  double moved = 0;  // between the transforms
  if (block_tiles() * tile_bytes() > context_.target.l2_bytes)
    moved = static_cast<double>(block_count() * block_tiles() * tile_bytes()) /
            bytes_per_cycle_behind_l2;
  add_transform(vectors * a * a * 4, moved, tiles_);
}

}  // namespace

void winograd_rule(RuleContext& context, const std::vector<NestView>& nests) {
  WinogradRule(context, nests).run();
}

}  // namespace tessera
