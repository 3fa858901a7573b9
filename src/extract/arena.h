#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Memory that is needed from one moment to another, both included.
struct Lifetime {
  std::int64_t size_bytes = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  /// Lifetimes with a kind share memory only with their like, byte for byte: zeros that nobody
  /// writes stay. Empty: with any that has none.
  std::string kind = {};
};

struct Arena {
  std::vector<std::int64_t> offsets;  // one per lifetime, multiples of 64
  std::int64_t size_bytes = 0;
};

/// Places lifetimes so that no two that are alive together overlap: the largest first, each in the
/// tightest gap that its contemporaries leave.
Arena plan_arena(const std::vector<Lifetime>& lifetimes);

}  // namespace tessera
