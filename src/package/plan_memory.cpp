#include "package/plan_memory.h"

#include "extract/arena.h"

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

class MemoryPlanner {
 public:
  MemoryPlanner(const Network& network, const std::vector<CallMemory>& calls)
      : network_(network), calls_(calls) {
    for (std::size_t n = 0; n < network.calls.size(); ++n)
      for (const auto* values : {&network.calls[n].outputs, &network.calls[n].inputs})
        for (const ValueId& value : *values) last_[network.holder_of(value).first] = time(n);
  }

  MemoryPlan run() {
    place_ports();
    for (std::size_t n = 0; n < calls_.size(); ++n)
      for (const ValueId& value : network_.calls[n].outputs) add_lifetime(n, value);
    std::map<std::size_t, std::size_t> workspace_of;  // call to lifetime
    for (std::size_t n = 0; n < calls_.size(); ++n)
      if (const std::int64_t size = calls_[n].workspace_bytes; size > 0) {
        workspace_of[n] = lifetimes_.size();
        lifetimes_.push_back({.size_bytes = size, .first = time(n), .last = time(n), .kind = {}});
      }
    const Arena arena = plan_arena(lifetimes_);
    for (const auto& [value, n] : index_)
      out_.places[value] = {
          .where = BufferPlace::Where::Arena, .port = 0, .offset = arena.offsets[n]};
    out_.workspaces.assign(calls_.size(), 0);
    for (const auto& [call, n] : workspace_of) out_.workspaces[call] = arena.offsets[n];
    out_.arena_bytes = arena.size_bytes;
    return std::move(out_);
  }

 private:
  static std::int64_t time(std::size_t call) { return static_cast<std::int64_t>(call); }

  void place_ports() {
    for (std::size_t port = 0; port < network_.inputs.size(); ++port)
      out_.places[network_.inputs[port].name] = {.where = BufferPlace::Where::Input,
                                                 .port = static_cast<std::int64_t>(port)};
    for (std::size_t port = 0; port < network_.outputs.size(); ++port)
      out_.places[network_.root_of(network_.outputs[port].value)] = {
          .where = BufferPlace::Where::Output, .port = static_cast<std::int64_t>(port)};
  }

  /// Memory for what call `n` writes, until it is read last; that of an input where it may be.
  void add_lifetime(std::size_t n, const ValueId& value) {
    const ValueId holder = network_.holder_of(value).first;
    if (out_.places.contains(holder) || index_.contains(holder)) return;
    const Lifetime life = lifetime_from(time(n), holder);
    const bool is_alone = holder == value && network_.calls[n].outputs.size() == 1;
    if (const auto over = is_alone ? overwritten(n, life) : std::nullopt) {
      lifetimes_[*over].last = life.last;
      index_[holder] = *over;
    } else {
      index_[holder] = lifetimes_.size();
      lifetimes_.push_back(life);
    }
  }

  /// The lifetime of an input that ends with call `n` and is as large as `life`.
  std::optional<std::size_t> overwritten(std::size_t n, const Lifetime& life) const {
    const std::vector<ValueId>& inputs = network_.calls[n].inputs;
    const auto holder_of = [&](const ValueId& value) { return network_.holder_of(value).first; };
    for (const std::size_t input : calls_[n].overwritable) {
      const ValueId holder = holder_of(inputs[input]);
      const auto found = index_.find(holder);
      if (found == index_.end() || last_.at(holder) != time(n)) continue;
      const Lifetime& before = lifetimes_[found->second];
      // Read in two ways, it would be read in other places as well.
      if (before.size_bytes == life.size_bytes && before.kind == life.kind &&
          std::ranges::count(inputs, holder, holder_of) == 1)
        return found->second;
    }
    return std::nullopt;
  }

  Lifetime lifetime_from(std::int64_t first, const ValueId& value) const {
    const ValueType& type = network_.types.at(value);
    const Layout layout = network_.layout_of(value);
    Lifetime life{
        .size_bytes = size_bytes(dtype_of(type.element)) * physical_size(layout, type.shape),
        .first = first,
        .last = last_.at(value),
        .kind = {}};
    if (!layout.halo.empty()) life.kind = to_text(layout) + " " + std::to_string(life.size_bytes);
    return life;
  }

  const Network& network_;
  const std::vector<CallMemory>& calls_;
  std::map<ValueId, std::int64_t> last_;  // when each value is needed last
  std::map<ValueId, std::size_t> index_;  // of values, into `lifetimes_`
  std::vector<Lifetime> lifetimes_;
  MemoryPlan out_;
};

}  // namespace

MemoryPlan plan_memory(const Network& network, const std::vector<CallMemory>& calls) {
  return MemoryPlanner(network, calls).run();
}

}  // namespace tessera
