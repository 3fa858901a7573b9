#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Lines over one axis, each with its name at its end.
struct LineChart {
  struct Line {
    std::string name;
    std::vector<std::pair<double, double>> points;  // from left to right
  };
  std::string title;
  std::string x_name, y_name;
  std::vector<Line> lines;
};

/// A whole SVG file, which needs no other; the horizontal axis is logarithmic and names the places
/// of points, which are above 0. The first line is drawn thicker. Empty when there are no points.
std::string svg_file(const LineChart& chart);

}  // namespace tessera
