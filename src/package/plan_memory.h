#pragma once

#include "extract/network.h"
#include "runtime/execution_plan.h"

#include <map>
#include <vector>

namespace tessera {

/// Where the values of a network live, and what calls write on the way.
struct MemoryPlan {
  std::map<ValueId, BufferPlace> places;  // of values that hold others or nothing but themselves
  std::vector<std::int64_t> workspaces;   // of each call, in the arena
  std::int64_t arena_bytes = 0;
};

/// Places inputs and outputs in the buffers of the caller and all else that calls write in one
/// arena. `workspace_bytes` is what each call needs for itself.
MemoryPlan plan_memory(const Network& network, const std::vector<std::int64_t>& workspace_bytes);

}  // namespace tessera
