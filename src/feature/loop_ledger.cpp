#include "feature/loop_ledger.h"

#include "ir/bounds.h"
#include "schedule/tree.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <variant>

namespace tessera {
namespace {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

LoopLedger::LoopLedger(const Program& program) {
  std::vector<std::string> roots;
  const std::function<void(const Stmt&)> walk = [&](const Stmt& s) {
    if (const Allocate* allocate = as<Allocate>(s))
      walk(allocate->body);
    else if (const Block* block = as<Block>(s))
      std::ranges::for_each(block->stmts, walk);
    else
      add_nest(s, roots);
  };
  walk(program.body);
}

/// One perfect nest of a program that no step but `ChooseAlgorithm` has touched.
void LoopLedger::add_nest(const Stmt& nest, std::vector<std::string>& roots) {
  const auto stage = static_cast<std::int16_t>(stages_.size());
  stages_.emplace_back();
  const Stmt* at = &nest;
  for (; const tessera::Loop* loop = as<tessera::Loop>(*at); at = &loop->body) {
    const std::size_t begin = names_.size();
    names_ += loop->axis;
    const auto extent = static_cast<float>(max_extent(loop->extent, {}));
    const std::string_view root_name = last_part(loop->axis);
    const auto root = std::ranges::find(roots, root_name) - roots.begin();
    if (root == std::ssize(roots)) roots.emplace_back(root_name);
    const Index index = add({.root = static_cast<std::int16_t>(root),
                             .stage = stage,
                             .reduces = !loop->reduces.empty(),
                             .extent = extent,
                             .axis_extent = extent},
                            begin);
    stages_.back().order.push_back(index);
  }
  const std::vector<Index>& order = stages_.back().order;
  for (std::size_t n = 0; n < order.size(); ++n)
    loops_[order[n]].axis = static_cast<std::int16_t>(order.size() - 1 - n);
  if (const Store* store = as<Store>(*at)) stages_.back().name = store->tensor;
}

/// Where the name stands in the table, or would.
std::size_t LoopLedger::slot_of(std::string_view name) const {
  std::size_t slot = std::hash<std::string_view>()(name) % table_size;
  while (table_[slot] != 0 && name_of(loops_[table_[slot]]) != name) slot = (slot + 1) % table_size;
  return slot;
}

LoopLedger::Index LoopLedger::add(Loop loop, std::size_t name_begin) {
  if (loops_.size() > std::numeric_limits<Index>::max()) return 0;  // not followed any more
  loop.name_at = static_cast<std::uint32_t>(name_begin);
  loop.name_size = static_cast<std::uint32_t>(names_.size() - name_begin);
  const auto index = static_cast<Index>(loops_.size());
  table_[slot_of(name_of(loop))] = index;
  loops_.push_back(loop);
  return index;
}

const LoopLedger::Loop& LoopLedger::find(std::string_view name) const {
  return loops_[index_of(name)];
}

LoopLedger::Reach LoopLedger::reach(const Loop& loop) const {
  Reach reach;
  if (loop.stage < 0) return reach;
  bool is_inside = false;
  for (const Index index : stages_[static_cast<std::size_t>(loop.stage)].order) {
    const Loop& other = loops_[index];
    if (is_inside)
      (other.reduces ? reach.reduced : reach.spatial) *= other.extent;
    else
      reach.outside *= other.extent;
    is_inside = is_inside || &other == &loop;
  }
  return reach;
}

LoopLedger::Stage& LoopLedger::stage_named(std::string_view name) {
  const auto found = std::ranges::find(stages_, name, &Stage::name);
  if (found != stages_.end()) return *found;
  stages_.push_back({.name = std::string(name), .order = {}});
  return stages_.back();
}

void LoopLedger::take(const Step& step) {
  std::visit([&](const auto& one) { follow(one); }, step);
}

LoopLedger::Index LoopLedger::split(const AxisId& axis, std::span<const std::int64_t> factors) {
  const Index parent = index_of(axis);
  Loop like = loops_[parent];
  ++like.depth;
  float product = 1;
  for (const std::int64_t factor : factors) product *= static_cast<float>(factor);
  std::vector<Index>* order = nullptr;  // where the parts take their parent's place
  std::size_t place = 0;
  if (like.stage >= 0) {
    order = &order_of(like);
    const auto at = std::ranges::find(*order, parent);
    place = static_cast<std::size_t>(at - order->begin());
    if (at == order->end())
      order = nullptr;
    else
      order->insert(at, factors.size(), Index{0});
  }
  Index part_index = 0;
  for (std::size_t n = 0; n <= factors.size(); ++n) {
    const std::size_t begin = names_.size();
    names_ += axis;
    names_ += '.';
    names_ += std::to_string(n);
    Loop part = like;
    part.extent = n == 0 ? std::ceil(like.extent / product) : static_cast<float>(factors[n - 1]);
    part_index = add(part, begin);
    if (order != nullptr) (*order)[place + n] = part_index;
  }
  return part_index;
}

void LoopLedger::follow(const Split& step) { split(step.axis, step.factors); }

void LoopLedger::follow(const Jam& step) {
  const Index inner = split(step.axis, std::span(&step.factor, 1));
  if (loops_[inner].stage < 0) return;
  std::vector<Index>& order = order_of(loops_[inner]);
  order.erase(std::ranges::find(order, inner));
  order.push_back(inner);
}

void LoopLedger::follow(const Fuse& step) {
  const Index outer = index_of(step.outer), inner = index_of(step.inner);
  const std::size_t begin = names_.size();
  names_ += fused_name(step.outer, step.inner);
  Loop fused = loops_[outer];
  fused.extent *= loops_[inner].extent;
  const Index both = add(fused, begin);
  if (fused.stage < 0) return;
  std::vector<Index>& order = order_of(fused);
  std::ranges::replace(order, outer, both);
  std::erase(order, inner);
}

void LoopLedger::follow(const Reorder& step) {
  std::vector<Index> wanted;
  for (const AxisId& axis : step.axes) wanted.push_back(index_of(axis));
  if (wanted.empty() || loops_[wanted.front()].stage < 0) return;
  auto next = wanted.begin();
  for (Index& place : order_of(loops_[wanted.front()]))
    if (next != wanted.end() && std::ranges::find(wanted, place) != wanted.end()) place = *next++;
}

/// Axes of one name go through both nests alike: what is left of one inside the consumer's loop is
/// what the stage computes there.
void LoopLedger::follow(const ComputeAt& step) {
  const Index at = index_of(step.axis);
  if (loops_[at].stage < 0) return;
  const std::vector<Index>& consumer = order_of(loops_[at]);
  const auto inside = std::ranges::find(consumer, at) + 1;
  for (const Index own : stage_named(step.stage).order) {
    Loop& loop = loops_[own];
    const auto is_of_axis = [&](Index other) { return loops_[other].root == loop.root; };
    if (loop.reduces || std::ranges::none_of(consumer, is_of_axis)) continue;
    float extent = 1;
    for (auto other = inside; other != consumer.end(); ++other)
      if (is_of_axis(*other)) extent *= loops_[*other].extent;
    loop.extent = std::min(loop.extent, extent);
  }
}

/// The nest that reduces gets the new tensor's name; what stays writes the old one from it.
void LoopLedger::divide(const TensorId& tensor, std::string_view suffix,
                        std::span<const AxisId> kept) {
  const std::vector<Index> order = stage_named(tensor).order;
  const std::string part = tensor + std::string(suffix);
  const auto stage = static_cast<std::int16_t>(stages_.size());
  Stage moved{.name = part, .order = {}};
  std::vector<Index> staying;
  for (const Index own : order) {
    const AxisId name(name_of(loops_[own]));
    const bool is_kept = std::ranges::find(kept, name) != kept.end();
    if (is_kept || !loops_[own].reduces) staying.push_back(own);
    const std::size_t begin = names_.size();
    names_ += renamed(name, tensor, part);
    Loop copy = loops_[own];
    copy.stage = stage;
    copy.reduces = copy.reduces && !is_kept;
    moved.order.push_back(add(copy, begin));
  }
  stage_named(tensor).order = std::move(staying);
  stages_.push_back(std::move(moved));
}

void LoopLedger::follow(const CacheRead& step) {
  std::int64_t rank = 0;
  for (const LayoutTerm& term : step.layout.terms) rank = std::max(rank, term.dim + 1);
  const auto stage = static_cast<std::int16_t>(stages_.size());
  const std::string pack = step.tensor + ".pack";
  stages_.push_back({.name = pack, .order = {}});
  for (std::int64_t dim = 0; dim < rank; ++dim) {
    const std::size_t begin = names_.size();
    names_ += pack;
    names_ += '.';
    names_ += std::to_string(dim);
    const Index index =
        add({.stage = stage, .axis = static_cast<std::int16_t>(rank - 1 - dim)}, begin);
    stages_.back().order.push_back(index);
  }
}

}  // namespace tessera
