#include "lower/elide_padding.h"

#include "support/golden.h"
#include "support/interpreted.h"
#include "support/parsed.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// A sum over windows of three with one zero on each side, of an input in the given layout.
Program windows(const std::string& layout) {
  return parsed_program("program windows scheduled\ninput I f32[6] layout " + layout + R"(
output C f32[6] layout [0]
body
for C.x in 6 {
  for C.r in 3 reduce C {
    C[C.x] += select(0 <= C.x + C.r - 1 && C.x + C.r - 1 < 6, I[C.x + C.r - 1], 0.0)
  }
}
)");
}

TEST(ElidePadding, ReadsZerosFromTheHalo) {
  const Program program = windows("[0] halo 0:1:1");
  const Program got = elide_padding(program);
  expect_golden(to_text(got));
  EXPECT_FALSE(difference(got, program, 1));
}

TEST(ElidePadding, KeepsTheTestWithoutAHalo) {
  EXPECT_EQ(elide_padding(windows("[0]")), windows("[0]"));
}

TEST(ElidePadding, KeepsTheTestWhereTheHaloIsTooNarrow) {
  EXPECT_EQ(elide_padding(windows("[0] halo 0:1:0")), windows("[0] halo 0:1:0"));
  EXPECT_EQ(elide_padding(windows("[0] halo 0:0:1")), windows("[0] halo 0:0:1"));
}

}  // namespace
}  // namespace tessera
