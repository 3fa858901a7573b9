#pragma once

#include "backend/llvm/index.h"
#include "ir/program.h"

#include <cstdint>

namespace tessera::codegen {

/// How a register tensor is kept: as SSA values of `lanes` elements each, or, when its accesses do
/// not fit any such cut, in memory.
struct RegisterPlan {
  bool in_memory = false;
  std::int64_t lanes = 1;
  /// Whether lanes past a vector loop's extent must keep their value. They need not when no access
  /// ever sees them, and then a tail costs no blend per update.
  bool keeps_masked_lanes = false;
};

/// `space` holds the axes around the allocation.
RegisterPlan plan_registers(const Allocate& allocate, IndexSpace space);

/// Whether the lanes of a vector loop can run in lockstep. They cannot when its body holds other
/// vector or parallel loops, loops as long as the lane says, or memory that each lane needs for
/// itself.
bool runs_in_lockstep(const Loop& loop);

}  // namespace tessera::codegen
