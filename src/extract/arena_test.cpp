#include "extract/arena.h"

#include "base/rng.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

bool overlap(const Lifetime& a, std::int64_t at_a, const Lifetime& b, std::int64_t at_b) {
  const bool in_time = a.first <= b.last && b.first <= a.last;
  return in_time && at_a < at_b + b.size_bytes && at_b < at_a + a.size_bytes;
}

TEST(Arena, LetsLifetimesThatMeetNotOverlap) {
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> lifetimes;
    for (int n = 0; n < 40; ++n) {
      const std::int64_t first = rng.below(30);
      lifetimes.push_back({.size_bytes = 1 + rng.below(5000),
                           .first = first,
                           .last = first + rng.below(6),
                           .kind = rng.below(4) == 0 ? "halo" : ""});
      if (!lifetimes.back().kind.empty()) lifetimes.back().size_bytes = 700;
    }
    const Arena arena = plan_arena(lifetimes);
    for (std::size_t a = 0; a < lifetimes.size(); ++a) {
      EXPECT_EQ(arena.offsets[a] % 64, 0);
      EXPECT_LE(arena.offsets[a] + lifetimes[a].size_bytes, arena.size_bytes);
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_FALSE(overlap(lifetimes[a], arena.offsets[a], lifetimes[b], arena.offsets[b]));
    }
  }
}

TEST(Arena, ReusesMemoryOfWhatIsOver) {
  const Arena arena = plan_arena({{1000, 0, 1, {}}, {1000, 2, 3, {}}, {1000, 4, 5, {}}});
  EXPECT_EQ(arena.offsets[0], arena.offsets[1]);
  EXPECT_EQ(arena.offsets[0], arena.offsets[2]);
}

TEST(Arena, SharesHalosOnlyWithTheirLike) {
  const Arena arena =
      plan_arena({{1000, 0, 1, "a"}, {1000, 2, 3, "a"}, {1000, 4, 5, "b"}, {1000, 6, 7, {}}});
  EXPECT_EQ(arena.offsets[0], arena.offsets[1]);
  EXPECT_NE(arena.offsets[0], arena.offsets[2]);
  EXPECT_NE(arena.offsets[0], arena.offsets[3]);
  EXPECT_NE(arena.offsets[2], arena.offsets[3]);
}

}  // namespace
}  // namespace tessera
