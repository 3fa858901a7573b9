#pragma once

#include "pick/program_pool.h"

#include <cstddef>
#include <vector>

namespace tessera {

/// What pickers know of the programs of a list that have not been measured; each vector has a value
/// for each of those.
class OpenPrograms {
 public:
  explicit OpenPrograms(const PoolList& list);

  std::size_t size() const { return numbers_.size(); }
  /// In the list.
  std::size_t number(std::size_t n) const { return numbers_[n]; }

  /// Percentile of how close the nearest others lie.
  std::vector<float> typicality() const;
  /// Percentile of how much the votes disagree; zeros without votes.
  std::vector<float> disagreement() const;
  /// 1 for what is predicted to be fast, less for the rest, never 0.
  std::vector<float> bias() const;

  /// The `count` with the largest values, in the numbers of the list.
  std::vector<std::size_t> largest(const std::vector<float>& values, std::size_t count) const;
  /// Again and again the one with the largest value times its distance to all that are measured or
  /// were taken before; in the numbers of the list.
  std::vector<std::size_t> spread(const std::vector<float>& values, std::size_t count) const;

 private:
  const PoolList& list_;
  std::vector<std::size_t> numbers_;
};

}  // namespace tessera
