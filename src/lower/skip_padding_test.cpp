#include "lower/skip_padding.h"

#include "support/golden.h"
#include "support/interpreted.h"
#include "support/parsed.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

struct Case {
  int outputs = 6;
  int step = 1;            // of the window over the input
  int dilation = 1;        // of the taps of the window
  int padding = 1;         // on each side
  std::string added = "";  // to the input
};

/// A weighted sum over windows of three of an input of six that holds its padding.
Program windows(const Case& c) {
  const auto text = [](int n) { return std::to_string(n); };
  const std::string outputs = text(c.outputs);
  const std::string index =
      "[C.x * " + text(c.step) + " + C.r * " + text(c.dilation) + " - " + text(c.padding) + "]";
  return parsed_program(
      "program windows scheduled\n"
      "input I f32[6] layout [0] halo 0:" +
      text(c.padding) +
      ":8\n"
      "input W f32[3] layout [0]\n"
      "output C f32[" +
      outputs +
      "] layout [0]\n"
      "body\n"
      "for C.x in " +
      outputs +
      " {\n"
      "  for C.r in 3 reduce C {\n"
      "    C[C.x] += (I" +
      index + c.added +
      ") * W[C.r]\n"
      "  }\n"
      "}\n");
}

TEST(SkipPadding, LeavesOutRoundsThatAddZeros) {
  const Program got = skip_padding(windows({}));
  expect_golden(to_text(got));
  EXPECT_FALSE(difference(got, windows({}), 1));
}

TEST(SkipPadding, CountsWholeStepsOfStridesAndDilations) {
  for (const Case& c :
       {Case{.outputs = 4, .step = 2, .padding = 2}, Case{.dilation = 2, .padding = 2},
        Case{.dilation = 3, .padding = 3}, Case{.outputs = 3, .step = 3}}) {
    const Program got = skip_padding(windows(c));
    EXPECT_NE(got, windows(c));
    EXPECT_FALSE(difference(got, windows(c), 1)) << to_text(got);
  }
}

TEST(SkipPadding, KeepsOneRoundOfAWindowThatLiesInPadding) {
  const Case c{.outputs = 8, .padding = 4};
  EXPECT_FALSE(difference(skip_padding(windows(c)), windows(c), 1));
}

TEST(SkipPadding, KeepsLoopsThatStayInside) {
  const Case c{.outputs = 4, .padding = 0};
  EXPECT_EQ(skip_padding(windows(c)), windows(c));
}

TEST(SkipPadding, KeepsSumsThatPaddingAddsTo) {
  const Case c{.added = " + 1.0"};
  EXPECT_EQ(skip_padding(windows(c)), windows(c));
}

}  // namespace
}  // namespace tessera
