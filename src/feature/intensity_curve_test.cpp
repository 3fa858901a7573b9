#include "feature/intensity_curve.h"

#include <gtest/gtest.h>

namespace tessera::statement {
namespace {

TEST(IntensityCurve, IsReadAtTenthsOfTheOperations) {
  // log2: 2 operations on 4 bytes, then 10 on 16.
  const IntensityPoint points[] = {{.operations = 1 << 2, .bytes = 1 << 4},
                                   {.operations = 1 << 10, .bytes = 1 << 16}};
  const auto curve = intensity_curve(points);
  EXPECT_DOUBLE_EQ(curve[0], 0.5);                  // 1: before the first point
  EXPECT_DOUBLE_EQ(curve[1], 0.5);                  // 2
  EXPECT_DOUBLE_EQ(curve[5], 0.5 + 0.125 * 4 / 8);  // 6
  EXPECT_DOUBLE_EQ(curve[9], 0.625);
}

TEST(IntensityCurve, IsZeroWithoutOperationsOrLoops) {
  const IntensityPoint copy[] = {{.operations = 0, .bytes = 64}};
  EXPECT_EQ(intensity_curve(copy)[9], 0);
  EXPECT_EQ(intensity_curve({})[9], 0);
}

TEST(IntensityCurve, DividesByTheLogarithmOfASingleByte) {
  const IntensityPoint points[] = {{.operations = 8, .bytes = 1}};
  EXPECT_DOUBLE_EQ(intensity_curve(points)[9], 3);
}

}  // namespace
}  // namespace tessera::statement
