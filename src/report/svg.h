#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// Values from `low` to `high` on a line from `start` to `end`; what lies outside goes on outside.
struct Scale {
  double low = 0;
  double high = 1;
  double start = 0;
  double end = 1;

  double at(double value) const { return start + (value - low) / (high - low) * (end - start); }
};

/// A value that an axis names.
struct Tick {
  double value = 0;
  std::string text;
  friend bool operator==(const Tick&, const Tick&) = default;
};

/// About `count` values from `low` to `high`, multiples of 1, 2 or 5 times a power of ten, with as
/// many decimals as they need.
std::vector<Tick> nice_ticks(double low, double high, int count);
/// About `count` times from 0 to `seconds`: of whole seconds, minutes or hours where it is long
/// enough.
std::vector<Tick> time_ticks(double seconds, int count);

/// Where text stands from its point.
enum class Anchor { Start, Middle, End };

/// An SVG element in a page, drawn in units of its own from the upper left corner. Colours, strokes
/// and fonts come from the page's style, by class.
class Drawing {
 public:
  /// `description` is for those who cannot see it.
  Drawing(double width, double height, std::string_view description, std::string_view style_class);

  void line(double x1, double y1, double x2, double y2, std::string_view style_class);
  /// Drawn at least a hairline wide. `title` shows under the pointer.
  void bar(double x, double y, double width, double height, std::string_view style_class,
           std::string_view title);
  void dot(double x, double y, double radius, std::string_view style_class);
  void text(double x, double y, std::string_view text, std::string_view style_class,
            Anchor anchor = Anchor::Start);
  void path(const std::string& path, std::string_view style_class);
  /// An attribute of the element, for scripts.
  void attribute(std::string_view name, std::string_view value);
  /// Markup of its own.
  void raw(std::string_view markup) { content_ += markup; }

  std::string svg() const;

 private:
  std::string attributes_;
  std::string content_;
};

/// A path through points that goes level until the next one and then up or down.
std::string step_path(const std::vector<std::pair<double, double>>& points);
/// A path straight from each point to the next.
std::string line_path(const std::vector<std::pair<double, double>>& points);

}  // namespace tessera
