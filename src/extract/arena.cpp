#include "extract/arena.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace tessera {
namespace {

constexpr std::int64_t alignment = 64;
/// Kernels may read a vector past the end of a buffer.
constexpr std::int64_t slack = 64;

std::int64_t rounded(std::int64_t size_bytes) {
  return (size_bytes + slack + alignment - 1) / alignment * alignment;
}

bool is_together(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

struct Placed {
  std::int64_t begin, end;
};

/// The start of the smallest gap between `taken` that holds `size`, or the end of all.
std::int64_t tightest_gap(std::vector<Placed> taken, std::int64_t size) {
  std::sort(taken.begin(), taken.end(),
            [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
  std::int64_t best = -1, best_size = std::numeric_limits<std::int64_t>::max(), end = 0;
  for (const Placed& p : taken) {
    const std::int64_t gap = p.begin - end;
    if (gap >= size && gap < best_size) {
      best = end;
      best_size = gap;
    }
    end = std::max(end, p.end);
  }
  return best < 0 ? end : best;
}

}  // namespace

Arena plan_arena(const std::vector<Lifetime>& lifetimes) {
  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return lifetimes[a].size_bytes > lifetimes[b].size_bytes;
  });
  Arena arena{.offsets = std::vector<std::int64_t>(lifetimes.size(), 0), .size_bytes = 0};
  std::vector<std::size_t> done;
  const auto place = [&](std::size_t n, const std::vector<Placed>& taken) {
    const std::int64_t size = rounded(lifetimes[n].size_bytes);
    arena.offsets[n] = tightest_gap(taken, size);
    arena.size_bytes = std::max(arena.size_bytes, arena.offsets[n] + size);
    done.push_back(n);
  };
  const auto place_of = [&](std::size_t n) {
    return Placed{arena.offsets[n], arena.offsets[n] + rounded(lifetimes[n].size_bytes)};
  };

  for (const std::size_t n : order) {
    if (!lifetimes[n].kind.empty()) continue;
    std::vector<Placed> taken;
    for (const std::size_t other : done)
      if (is_together(lifetimes[n], lifetimes[other])) taken.push_back(place_of(other));
    place(n, taken);
  }

  // Places of one kind are whole slots behind all others.
  const std::int64_t shared_end = arena.size_bytes;
  std::map<std::string, std::vector<std::size_t>> by_kind;
  for (const std::size_t n : order) {
    if (lifetimes[n].kind.empty()) continue;
    std::vector<std::size_t>& kin = by_kind[lifetimes[n].kind];
    std::int64_t offset = -1;
    for (const std::size_t slot : kin) {
      const bool is_free = std::none_of(kin.begin(), kin.end(), [&](std::size_t other) {
        return arena.offsets[other] == arena.offsets[slot] &&
               is_together(lifetimes[n], lifetimes[other]);
      });
      if (is_free) offset = arena.offsets[slot];
    }
    if (offset < 0) {
      offset = std::max(shared_end, arena.size_bytes);
      arena.size_bytes = offset + rounded(lifetimes[n].size_bytes);
    }
    arena.offsets[n] = offset;
    kin.push_back(n);
  }
  return arena;
}

}  // namespace tessera
