#include "extract/permute_result.h"

#include "ir/rewrite.h"

#include <algorithm>

namespace tessera {
namespace {

/// The axes of `made` in the order of the stage that reads it at a permutation of its own, which
/// keeps the last; empty if it does not.
std::vector<Axis> permuted_axes(const Stage& made, const Stage& reader, const Load& load) {
  std::vector<Axis> axes;
  for (const Axis& wanted : reader.axes) {
    const auto at = std::ranges::find(load.indices, axis(wanted.name));
    if (at == load.indices.end()) return {};
    axes.push_back(made.axes[static_cast<std::size_t>(at - load.indices.begin())]);
  }
  const std::size_t rank = load.indices.size();
  if (rank == 0 || axes.size() != rank || !(axes.back() == made.axes[rank - 1])) return {};
  axes.insert(axes.end(), made.axes.begin() + static_cast<std::ptrdiff_t>(rank), made.axes.end());
  return axes;
}

}  // namespace

Computation permute_result(Computation computation) {
  if (computation.stages.size() < 2) return computation;
  const Stage& last = computation.stages.back();
  const Load* load = as<Load>(last.value);
  if (load == nullptr || last.reducer) return computation;
  const auto made = std::ranges::find(computation.stages, load->tensor,
                                      [](const Stage& stage) { return stage.tensor.name; });
  if (made == computation.stages.end() || !made->reducer ||
      std::ranges::count(computation.outputs, load->tensor) > 0)
    return computation;
  std::int64_t reads = 0;
  for (const Stage& stage : computation.stages)
    reads += std::ranges::count(loads_in(stage.value), load->tensor, &Load::tensor);
  const std::vector<Axis> axes = permuted_axes(*made, last, *load);
  if (reads > 1 || axes.empty()) return computation;
  made->axes = axes;
  made->tensor = last.tensor;
  computation.stages.pop_back();
  return computation;
}

}  // namespace tessera
