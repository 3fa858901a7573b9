#include "record/measurement.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Outcome, HasANameThatParsesBack) {
  for (const Outcome outcome : all_outcomes) EXPECT_EQ(parse_outcome(to_text(outcome)), outcome);
  EXPECT_EQ(to_text(Outcome::OutOfMemory), "out_of_memory");
  EXPECT_EQ(parse_outcome("Ok"), std::nullopt);
}

TEST(Clock, HasANameThatParsesBack) {
  for (const Clock clock : {Clock::Cpu, Clock::Wall}) EXPECT_EQ(parse_clock(to_text(clock)), clock);
  EXPECT_EQ(parse_clock(""), std::nullopt);
}

TEST(Measurement, IsAsGoodAsItsShortestTiming) {
  EXPECT_EQ((Measurement{.seconds = {3, 1, 2}}).best(), 1);
}

}  // namespace
}  // namespace tessera
