#pragma once

#include "extract/network.h"
#include "runtime/execution_plan.h"

#include <map>
#include <vector>

namespace tessera {

/// What planning has to know of a call's kernel.
struct CallMemory {
  std::int64_t workspace_bytes = 0;
  /// The inputs of the call over which its one output may be written.
  std::vector<std::size_t> overwritable = {};
};

/// Where the values of a network live, and what calls write on the way.
struct MemoryPlan {
  std::map<ValueId, BufferPlace> places;  // of values that hold others or nothing but themselves
  std::vector<std::int64_t> workspaces;   // of each call, in the arena
  std::int64_t arena_bytes = 0;
};

/// Places inputs and outputs in the buffers of the caller and all else that calls write in one
/// arena; where a call may write over an input that nothing needs afterwards, it does.
MemoryPlan plan_memory(const Network& network, const std::vector<CallMemory>& calls);

}  // namespace tessera
