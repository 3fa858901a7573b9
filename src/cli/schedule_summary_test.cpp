#include "cli/schedule_summary.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

std::string summary_of(std::string_view text) { return tessera::summary_of(*parse_schedule(text)); }

TEST(ScheduleSummary, NamesTheTileInRegisters) {
  EXPECT_EQ(summary_of("split relu.i [4]\nsplit relu.i.0 [16]\nsplit relu.j [24]\n"
                       "compute_at matmul relu.i.0.1 register\nsplit matmul.k [4]\n"
                       "parallel relu.i.0.0\n"),
            "tile 4x24, parallel");
}

TEST(ScheduleSummary, NamesTheAlgorithmAndWhatIsPacked) {
  EXPECT_EQ(summary_of("algorithm conv winograd4\nsplit conv.m.t [3]\nsplit conv.m.o [8 32]\n"
                       "compute_at conv.m.tile conv.m.t.0 register\n"
                       "cache_read x conv.y.0 stack [0 1]\n"),
            "winograd4, tile 3x32, packs x, one thread");
}

TEST(ScheduleSummary, NamesATileOfSeveralStagesOnce) {
  EXPECT_EQ(
      summary_of("split s.i [32]\ncompute_at a s.i.0 register\ncompute_at b s.i.0 register\n"),
      "tile 32, one thread");
}

TEST(ScheduleSummary, TellsAtLeastTheThreads) {
  EXPECT_EQ(summary_of("vectorize copy.l\n"), "one thread");
}

}  // namespace
}  // namespace tessera
