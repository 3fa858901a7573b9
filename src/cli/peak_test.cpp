#include "cli/peak.h"

#include "lower/lower.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Peak, FitsEveryTarget) {
  for (const Target& target : presets()) {
    const Result<Lowered> lowered = lower(make_peak(target, 1).program, target);
    EXPECT_TRUE(lowered) << target.name << ": " << lowered.error().message;
  }
}

TEST(Stream, FitsEveryTarget) {
  for (const Target& target : presets()) {
    const Stream stream = make_stream(target, 2, 1 << 20);
    const Result<Lowered> lowered = lower(stream.program, target);
    EXPECT_TRUE(lowered) << target.name << ": " << lowered.error().message;
    EXPECT_NEAR(stream.bytes, 1 << 20, 1 << 17);
  }
}

TEST(Peak, GrowsWithThreadsAndLanes) {
  const Target narrow = *parse_target("x86-sse42");
  const Target wide = *parse_target("x86-avx2");
  EXPECT_EQ(make_peak(narrow, 2).flops, 2 * make_peak(narrow, 1).flops);
  EXPECT_EQ(make_peak(wide, 1).flops, 2 * make_peak(narrow, 1).flops);
}

}  // namespace
}  // namespace tessera
