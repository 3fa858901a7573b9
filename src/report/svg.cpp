#include "report/svg.h"

#include "base/check.h"
#include "report/html.h"
#include "report/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {
namespace {

/// `12`, `12.3`: tenths are as fine as a screen shows.
std::string unit(double value) {
  check(std::isfinite(value), "drawings have finite places");
  const double tenths = std::round(value * 10) / 10 + 0.0;  // no `-0`
  return fmt::format("{:g}", tenths);
}

/// The multiple of 1, 2 or 5 times a power of ten that is at least `least`.
double nice_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::string_view anchor_name(Anchor anchor) {
  constexpr std::array<std::string_view, 3> names = {"start", "middle", "end"};
  return names[static_cast<std::size_t>(anchor)];
}

}  // namespace

std::vector<Tick> nice_ticks(double low, double high, int count) {
  check(low < high && count > 0, "ticks of a range");
  const double step = nice_step((high - low) / count);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  std::vector<Tick> ticks;
  for (double n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; ++n)
    ticks.push_back({n * step, fmt::format("{:.{}f}", n * step + 0.0, decimals)});
  return ticks;
}

std::vector<Tick> time_ticks(double seconds, int count) {
  constexpr std::array<double, 11> steps = {5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600};
  if (seconds < steps[0] * count) {
    std::vector<Tick> ticks = nice_ticks(0, seconds, count);
    for (Tick& tick : ticks) tick.text += " s";
    return ticks;
  }
  const auto found = std::ranges::lower_bound(steps, seconds / count);
  const double step = found != steps.end() ? *found : 3600 * nice_step(seconds / count / 3600);
  std::vector<Tick> ticks;
  for (double n = 0; n * step <= seconds; ++n) ticks.push_back({n * step, duration_text(n * step)});
  return ticks;
}

Drawing::Drawing(double width, double height, std::string_view description,
                 std::string_view style_class)
    : attributes_(fmt::format(R"(class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}")",
                              style_class, unit(width), unit(height), escaped(description))) {}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view style_class) {
  content_ += fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", style_class,
                          unit(x1), unit(y1), unit(x2), unit(y2));
}

void Drawing::bar(double x, double y, double width, double height, std::string_view style_class,
                  std::string_view title) {
  content_ += fmt::format(
      R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="1.5"><title>{}</title></rect>)",
      style_class, unit(x), unit(y), unit(std::max(width, 1.0)), unit(height), escaped(title));
}

void Drawing::dot(double x, double y, double radius, std::string_view style_class) {
  content_ += fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="{}"/>)", style_class, unit(x),
                          unit(y), unit(radius));
}

void Drawing::text(double x, double y, std::string_view text, std::string_view style_class,
                   Anchor anchor) {
  content_ += fmt::format(R"(<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>)",
                          style_class, unit(x), unit(y), anchor_name(anchor), escaped(text));
}

void Drawing::path(const std::string& path, std::string_view style_class) {
  content_ += fmt::format(R"(<path class="{}" d="{}"/>)", style_class, path);
}

void Drawing::attribute(std::string_view name, std::string_view value) {
  attributes_ += fmt::format(R"( {}="{}")", name, escaped(value));
}

std::string Drawing::svg() const { return "<svg " + attributes_ + ">" + content_ + "</svg>"; }

std::string step_path(const std::vector<std::pair<double, double>>& points) {
  std::string path;
  for (const auto& [x, y] : points)
    path += path.empty() ? "M" + unit(x) + " " + unit(y) : "H" + unit(x) + "V" + unit(y);
  return path;
}

std::string line_path(const std::vector<std::pair<double, double>>& points) {
  std::string path;
  for (const auto& [x, y] : points) path += (path.empty() ? "M" : "L") + unit(x) + " " + unit(y);
  return path;
}

}  // namespace tessera
