#include "report/line_chart.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(LineChart, IsAFileOfItsOwn) {
  const std::string svg =
      svg_file({.title = "a < b",
                .x_name = "budget",
                .y_name = "top-1",
                .lines = {{"rdu", {{1, 0.8}, {10, 0.9}}}, {"random", {{1, 0.7}, {10, 0.899}}}}});
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg;
  EXPECT_NE(svg.find("xmlns="), std::string::npos);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find(">rdu</text>"), std::string::npos);
  EXPECT_NE(svg.find(">random</text>"), std::string::npos);
}

TEST(LineChart, MayHaveOnePlaceOrNone) {
  EXPECT_EQ(svg_file({}), "");
  EXPECT_NE(svg_file({.title = "", .x_name = "", .y_name = "", .lines = {{"one", {{5, 0.5}}}}})
                .find(">one</text>"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera
