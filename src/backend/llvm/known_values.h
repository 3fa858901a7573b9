#pragma once

#include "backend/llvm/index.h"

#include <map>
#include <tuple>
#include <vector>

namespace llvm {
class Value;
}

namespace tessera::codegen {

struct Slot;

/// What loads would give at the point of emission: values read or written before. Saves reading
/// twice, and writing what is only read back at once.
class KnownValues {
 public:
  /// An access of `lanes` elements (0: one) at `offset`; null unless the very same access is known.
  llvm::Value* find(const Slot& slot, const Index& offset, std::int64_t lanes,
                    llvm::Value* guard) const;
  void add(const Slot& slot, const Index& offset, std::int64_t lanes, llvm::Value* guard,
           llvm::Value* value);
  /// Forgets what a store there may have changed.
  void overwrite(const Slot& slot, const Index& offset, std::int64_t lanes);
  void forget(const Slot& slot) { slots_.erase(&slot); }

 private:
  using Terms = std::vector<std::pair<int, std::int64_t>>;
  /// By constant part of the offset, lanes and guard.
  using Group = std::map<std::tuple<std::int64_t, std::int64_t, llvm::Value*>, llvm::Value*>;
  /// By variable part of the offset: two that differ there may or may not meet.
  std::map<const Slot*, std::map<Terms, Group>> slots_;
  std::int64_t most_lanes_ = 1;
};

}  // namespace tessera::codegen
