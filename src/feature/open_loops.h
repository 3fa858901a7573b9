#pragma once

#include "feature/index_range.h"
#include "ir/program.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera::statement {

struct UsedTensor;

enum class UseKind : std::uint8_t { Read, Write, ReadWrite };

/// What one iteration of a loop touches of a tensor in one statement.
struct Touch {
  const UsedTensor* tensor;
  UseKind kind;
  double elements;
  double bytes;
};

/// A loop around the place at hand, and what was touched in it so far.
struct OpenLoop {
  const Loop* loop;
  double extent;  // the largest
  std::vector<Touch> touches = {};
};

/// The loops around a place of a program, outermost first, without those that run once at most.
class OpenLoops {
 public:
  void enter(const Loop& loop, double extent) { loops_.push_back({&loop, extent}); }
  void leave() { loops_.pop_back(); }

  std::size_t depth() const { return loops_.size(); }
  OpenLoop& operator[](std::size_t level) { return loops_[level]; }
  const OpenLoop& operator[](std::size_t level) const { return loops_[level]; }
  auto begin() const { return loops_.begin(); }
  auto end() const { return loops_.end(); }

  std::optional<std::size_t> find(std::string_view axis) const {
    for (std::size_t level = loops_.size(); level-- > 0;)
      if (loops_[level].loop->axis == axis) return level;
    return std::nullopt;
  }
  /// The product of the extents of the loops from `first` to before `last`.
  double iterations(std::size_t first, std::size_t last) const {
    double product = 1;
    for (std::size_t level = first; level < last; ++level) product *= loops_[level].extent;
    return product;
  }
  double iterations() const { return iterations(0, depth()); }

  /// The values of `e` while the loops from `level` inwards run and those outside stand at 0.
  std::optional<Range> range_from(std::size_t level, const Expr& e) const {
    return range_of(e, [&](const AxisId& axis) -> std::optional<Range> {
      const std::optional<std::size_t> at = find(axis);
      return at && *at >= level ? Range{0, loops_[*at].extent - 1} : Range{};
    });
  }

 private:
  std::vector<OpenLoop> loops_;
};

}  // namespace tessera::statement
