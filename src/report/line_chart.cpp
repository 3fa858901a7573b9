#include "report/line_chart.h"

#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace tessera {
namespace {

constexpr double width = 900, height = 480;
constexpr double left = 70, right = 720, top = 50, bottom = 420;
constexpr double label_height = 15;
constexpr std::array colours = {"#c22", "#06a", "#283", "#a5a", "#c80",
                                "#099", "#777", "#630", "#36f", "#9a0"};

std::string style() {
  std::string rules =
      "<style>svg{background:#fff}text{font:13px sans-serif;fill:#222}.title{font-size:16px}"
      ".grid{stroke:#ddd}.axis{stroke:#444}path{fill:none;stroke-width:1.5}.first{stroke-width:3}";
  for (std::size_t n = 0; n < colours.size(); ++n)
    rules += fmt::format(".line{0}{{stroke:{1}}}text.name{0}{{fill:{1}}}", n, colours[n]);
  return rules + "</style>";
}

/// Where labels stand that want to be at these heights: none over another.
std::vector<double> apart(const std::vector<double>& wanted) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t n) { return wanted[n]; });
  std::vector<double> places(wanted.size());
  double next = top;
  for (const std::size_t n : order) {
    places[n] = std::max(wanted[n], next);
    next = places[n] + label_height;
  }
  return places;
}

}  // namespace

std::string svg_file(const LineChart& chart) {
  std::set<double> places;
  double low = 1e300, high = -1e300;
  for (const LineChart::Line& line : chart.lines)
    for (const auto& [x, y] : line.points) {
      places.insert(x);
      low = std::min(low, y);
      high = std::max(high, y);
    }
  if (places.empty()) return "";
  const double room = std::max(high - low, 1e-3) * 0.08;
  const double first = std::log(*places.begin()), last = std::log(*places.rbegin());
  const Scale across{first, std::max(last, first + 1e-9), left, right};
  const Scale up{low - room, high + room, bottom, top};

  Drawing drawing(width, height, chart.title, "chart");
  drawing.attribute("xmlns", "http://www.w3.org/2000/svg");
  drawing.raw(style());
  drawing.text(left, 26, chart.title, "title");
  for (const Tick& tick : nice_ticks(up.low, up.high, 6)) {
    drawing.line(left, up.at(tick.value), right, up.at(tick.value), "grid");
    drawing.text(left - 8, up.at(tick.value) + 4, tick.text, "label", Anchor::End);
  }
  drawing.line(left, bottom, right, bottom, "axis");
  for (const double place : places)
    drawing.text(across.at(std::log(place)), bottom + 20, fmt::format("{:g}", place), "label",
                 Anchor::Middle);
  drawing.text((left + right) / 2, bottom + 44, chart.x_name, "label", Anchor::Middle);
  drawing.text(left - 8, top - 10, chart.y_name, "label", Anchor::End);

  std::vector<double> ends;
  for (const LineChart::Line& line : chart.lines)
    ends.push_back(line.points.empty() ? bottom : up.at(line.points.back().second));
  const std::vector<double> labels = apart(ends);
  for (std::size_t n = 0; n < chart.lines.size(); ++n) {
    const LineChart::Line& line = chart.lines[n];
    if (line.points.empty()) continue;
    std::vector<std::pair<double, double>> points;
    for (const auto& [x, y] : line.points) points.emplace_back(across.at(std::log(x)), up.at(y));
    const std::size_t colour = n % colours.size();
    drawing.path(line_path(points), fmt::format("line{}{}", colour, n == 0 ? " first" : ""));
    drawing.text(right + 10, labels[n] + 4, line.name, fmt::format("name{}", colour));
  }
  return drawing.svg() + "\n";
}

}  // namespace tessera
