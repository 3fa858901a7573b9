#include "feature/reuse.h"

#include <limits>

namespace tessera::statement {
namespace {

std::optional<Reuse> serial_reuse(const UsedTensor& tensor, const OpenLoops& loops,
                                  std::size_t level) {
  int uses = 0;
  Reuse reuse{.kind = ReuseKind::Serial,
              .distance_iterations = std::numeric_limits<double>::max(),
              .count = loops.iterations(0, level + 1)};
  for (const Touch& touch : loops[level].touches) {
    if (touch.kind == UseKind::Read) reuse.distance_bytes += touch.bytes;
    if (touch.tensor != &tensor) continue;
    ++uses;
    reuse.distance_iterations = std::min(reuse.distance_iterations, touch.elements);
  }
  return uses > 1 ? std::optional(reuse) : std::nullopt;
}

Reuse loop_reuse(const OpenLoops& loops, std::size_t level) {
  Reuse reuse{.kind = ReuseKind::Loop,
              .distance_iterations = loops.iterations(level + 1, loops.depth()),
              .count = 1};
  for (const Touch& touch : loops[level].touches) reuse.distance_bytes += touch.bytes;
  return reuse;
}

}  // namespace

Reuse reuse_of(const TensorUse& use, const OpenLoops& loops) {
  std::optional<Reuse> found;
  for (std::size_t level = loops.depth(); level-- > 0;) {
    const bool has_others = level < use.tensor->outer_loops || use.depends_on(loops, level);
    if (found && has_others) break;
    if (!found && !has_others) found = loop_reuse(loops, level);
    if (found) found->count *= loops[level].extent;
    if (const auto serial = serial_reuse(*use.tensor, loops, level)) return *serial;
  }
  return found.value_or(Reuse{});
}

}  // namespace tessera::statement
