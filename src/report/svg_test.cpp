#include "report/svg.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

std::string texts(const std::vector<Tick>& ticks) {
  std::string all;
  for (const Tick& tick : ticks) all += (all.empty() ? "" : " ") + tick.text;
  return all;
}

TEST(Ticks, AreRoundValuesWithinTheRange) {
  EXPECT_EQ(texts(nice_ticks(0, 55, 5)), "0 20 40");
  EXPECT_EQ(texts(nice_ticks(21.2, 25, 5)), "22 23 24 25");
  EXPECT_EQ(texts(nice_ticks(0, 0.9, 5)), "0.0 0.2 0.4 0.6 0.8");
  EXPECT_EQ(texts(nice_ticks(0.0011, 0.0015, 5)), "0.0011 0.0012 0.0013 0.0014 0.0015");
}

TEST(Ticks, OfTimeAreWholeSecondsAndMinutes) {
  EXPECT_EQ(texts(time_ticks(300, 6)), "0:00 1:00 2:00 3:00 4:00 5:00");
  EXPECT_EQ(texts(time_ticks(70, 5)), "0:00 0:15 0:30 0:45 1:00");
  EXPECT_EQ(texts(time_ticks(4, 4)), "0 s 1 s 2 s 3 s 4 s");
  EXPECT_EQ(texts(time_ticks(40000, 5)), "0:00 5:00:00 10:00:00");
}

TEST(Drawing, EscapesItsTexts) {
  Drawing drawing(10, 20, "a \"plot\"", "plot");
  drawing.text(1, 2.25, "</text><script>", "label", Anchor::End);
  drawing.bar(0, 0, 0, 5, "before", "<&>");
  EXPECT_EQ(drawing.svg(),
            "<svg class=\"plot\" viewBox=\"0 0 10 20\" role=\"img\" aria-label=\"a "
            "&quot;plot&quot;\"><text class=\"label\" x=\"1\" y=\"2.3\" text-anchor=\"end\">"
            "&lt;/text&gt;&lt;script&gt;</text><rect class=\"before\" x=\"0\" y=\"0\" width=\"1\" "
            "height=\"5\" rx=\"1.5\"><title>&lt;&amp;&gt;</title></rect></svg>");
}

TEST(Drawing, HasPathsInStepsAndStraight) {
  EXPECT_EQ(step_path({{0, 1}, {2, 3}, {4, 3.04}}), "M0 1H2V3H4V3");
  EXPECT_EQ(line_path({{0, 1}, {2, 3}}), "M0 1L2 3");
}

}  // namespace
}  // namespace tessera
