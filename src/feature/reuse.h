#pragma once

#include "feature/tensor_use.h"

namespace tessera::statement {

/// Loop    a loop comes back to the same elements
/// Serial  an earlier statement in the same iteration of a loop touched them
enum class ReuseKind : std::uint8_t { Loop, Serial, None };

/// The innermost reuse of the elements that a statement uses. The distance is what one iteration of
/// the loop around it does in between: iterations of the loops inside (elements of the tensor, when
/// serial), and bytes that all statements so far touch (read, when serial). All 0 for none.
struct Reuse {
  ReuseKind kind = ReuseKind::None;
  double distance_iterations = 0;
  double distance_bytes = 0;
  double count = 0;
};

/// `loops` hold the touches of the statement itself and of those before it.
Reuse reuse_of(const TensorUse& use, const OpenLoops& loops);

}  // namespace tessera::statement
