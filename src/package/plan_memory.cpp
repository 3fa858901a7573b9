#include "package/plan_memory.h"

#include "extract/arena.h"

namespace tessera {
namespace {

class MemoryPlanner {
 public:
  explicit MemoryPlanner(const Network& network) : network_(network) {}

  MemoryPlan run(const std::vector<std::int64_t>& workspace_bytes) {
    place_ports();
    for (std::size_t n = 0; n < network_.calls.size(); ++n) extend_lifetimes(n);
    std::map<std::size_t, std::size_t> workspace_of;  // call to lifetime
    for (std::size_t n = 0; n < workspace_bytes.size(); ++n)
      if (workspace_bytes[n] > 0) {
        workspace_of[n] = lifetimes_.size();
        lifetimes_.push_back(
            {.size_bytes = workspace_bytes[n], .first = time(n), .last = time(n), .kind = {}});
      }
    const Arena arena = plan_arena(lifetimes_);
    for (const auto& [value, n] : index_)
      out_.places[value] = {
          .where = BufferPlace::Where::Arena, .port = 0, .offset = arena.offsets[n]};
    out_.workspaces.assign(workspace_bytes.size(), 0);
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

  /// What a call writes or reads lives until then.
  void extend_lifetimes(std::size_t n) {
    for (const ValueId& value : network_.calls[n].outputs) {
      const ValueId holder = network_.holder_of(value).first;
      if (out_.places.contains(holder)) continue;
      if (index_.try_emplace(holder, lifetimes_.size()).second)
        lifetimes_.push_back(lifetime_from(time(n), holder));
      lifetimes_[index_.at(holder)].last = time(n);
    }
    for (const ValueId& value : network_.calls[n].inputs)
      if (const auto found = index_.find(network_.holder_of(value).first); found != index_.end())
        lifetimes_[found->second].last = time(n);
  }

  Lifetime lifetime_from(std::int64_t first, const ValueId& value) const {
    const ValueType& type = network_.types.at(value);
    const Layout layout = network_.layout_of(value);
    Lifetime life{
        .size_bytes = size_bytes(dtype_of(type.element)) * physical_size(layout, type.shape),
        .first = first,
        .last = first,
        .kind = {}};
    if (!layout.halo.empty()) life.kind = to_text(layout) + " " + std::to_string(life.size_bytes);
    return life;
  }

  const Network& network_;
  std::map<ValueId, std::size_t> index_;  // of values, into `lifetimes_`
  std::vector<Lifetime> lifetimes_;
  MemoryPlan out_;
};

}  // namespace

MemoryPlan plan_memory(const Network& network, const std::vector<std::int64_t>& workspace_bytes) {
  return MemoryPlanner(network).run(workspace_bytes);
}

}  // namespace tessera
