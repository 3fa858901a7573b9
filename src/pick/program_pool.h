#pragma once

#include "pick/points.h"

#include <cstddef>
#include <vector>

namespace tessera {

/// The programs of one task, of which some have been measured.
struct PoolList {
  Points places = {};                  // alike programs are near each other
  std::vector<bool> is_measured = {};  // of each
  std::vector<float> scores = {};      // that are predicted; larger is better
  std::vector<std::vector<float>> votes =
      {};  // predictions of each of a committee, if there is one

  std::size_t size() const { return is_measured.size(); }
  std::size_t measured() const;
  /// Numbers of those that have not been measured.
  std::vector<std::size_t> open() const;
};

/// All programs that could be measured, by task.
struct ProgramPool {
  std::vector<PoolList> lists;

  std::size_t size() const;
  std::size_t measured() const;
};

/// Some programs of each list, none of them measured.
using Picks = std::vector<std::vector<std::size_t>>;

/// How many of the next `count` measurements each list gets, as far as it has programs: so that of
/// all measurements each has had a share in proportion to the square root of its size. Another task
/// teaches more than more programs of one. Lists without any get four at once where the count is
/// large enough for that, since what one program teaches is how it compares with others; which of
/// them are first is drawn.
std::vector<std::size_t> shares_of(const ProgramPool& pool, std::size_t count, Rng& rng);

}  // namespace tessera
