#pragma once

#include "ir/program.h"
#include "schedule/step.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The loops of a program under a schedule, followed by name from step to step: what `apply` would
/// make of their extents and order, without making it. Some hundred times faster than `apply`.
///
/// What only regions would tell is not known: the loops of a `cache_read` have extent 0.
class LoopLedger {
 public:
  struct Loop {
    std::uint32_t name_at = 0, name_size = 0;  // in `names_`
    std::int16_t root = -1;  // which axis it comes from: of all nests those named `x` are one
    std::int16_t stage = -1;
    std::int16_t axis = 0;   // which of the stage's axes it comes from, counted from the last
    std::int16_t depth = 0;  // how often that was split
    bool reduces = false;
    float extent = 0;  // of its longest round
    float axis_extent = 0;
  };
  using Index = std::uint8_t;

  explicit LoopLedger(const Program& program);

  /// By the name that it has or had; one of extent 0 when there is no such.
  const Loop& find(std::string_view name) const;
  /// How much runs within one round of a loop and around it, of its stage's loops as they stand.
  struct Reach {
    float spatial = 1;  // points within
    float reduced = 1;  // terms of each within
    float outside = 1;  // rounds of the loops around it and of its own
  };
  Reach reach(const Loop& loop) const;
  /// Follows a step. `ChooseAlgorithm` is not followed: begin with what it has made.
  void take(const Step& step);

 private:
  static constexpr std::size_t table_size = 512;  // loops are at most half as many

  struct Stage {
    std::string name;
    std::vector<Index> order;  // its loops, outermost first
  };

  void add_nest(const Stmt& nest, std::vector<std::string>& roots);
  std::string_view name_of(const Loop& loop) const {
    return std::string_view(names_).substr(loop.name_at, loop.name_size);
  }
  std::size_t slot_of(std::string_view name) const;
  Index index_of(std::string_view name) const { return table_[slot_of(name)]; }
  /// A loop like `from` under another name, written behind `names_`.
  Index add(Loop from, std::size_t name_begin);
  Stage& stage_named(std::string_view name);
  std::vector<Index>& order_of(const Loop& loop) {
    return stages_[static_cast<std::size_t>(loop.stage)].order;
  }

  void follow(const Split& step);
  void follow(const Jam& step);
  void follow(const Fuse& step);
  void follow(const Reorder& step);
  void follow(const ComputeAt& step);
  void follow(const Factor& step) { divide(step.tensor, ".part", step.axes); }
  void follow(const CacheWrite& step) { divide(step.tensor, ".tile", {}); }
  void follow(const CacheRead& step);
  template <typename Other>
  void follow(const Other& /*step*/) {}

  /// Gives the innermost part.
  Index split(const AxisId& axis, std::span<const std::int64_t> factors);
  void divide(const TensorId& tensor, std::string_view suffix, std::span<const AxisId> kept);

  std::string names_;
  std::vector<Loop> loops_{1};  // the first stands for those that are not known
  std::vector<Stage> stages_;
  std::array<Index, table_size> table_{};  // by hash of the name
};

}  // namespace tessera
