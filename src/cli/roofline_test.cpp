#include "cli/roofline.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

constexpr Roofline roofline{.flops_per_second = 100, .bytes_per_second = 10};

TEST(Roofline, NamesWhatAloneWouldTakeLonger) {
  EXPECT_EQ(roofline.limit({.flops = 50, .traffic_bytes = 4, .seconds = 1}), "compute");
  EXPECT_EQ(roofline.limit({.flops = 50, .traffic_bytes = 6, .seconds = 1}), "memory");
}

TEST(Roofline, NamesOverheadWhenNeitherFillsAQuarterOfTheTime) {
  EXPECT_EQ(roofline.limit({.flops = 24, .traffic_bytes = 2.4, .seconds = 1}), "overhead");
  EXPECT_EQ(roofline.limit({.flops = 26, .traffic_bytes = 0, .seconds = 1}), "compute");
}

TEST(Roofline, TellsTheShareOfThePeak) {
  EXPECT_EQ(roofline.share_of_peak({.flops = 50, .traffic_bytes = 0, .seconds = 2}), 0.25);
}

TEST(Roofline, IsMeasured) {
  const Roofline here = measure_roofline(detect_host(), 1, 1 << 20);
  EXPECT_GT(here.flops_per_second, 1e8);
  EXPECT_GT(here.bytes_per_second, 1e8);
}

}  // namespace
}  // namespace tessera
