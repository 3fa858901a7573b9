#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

/// Programs as lists of rows of numbers: the tokens of a schedule, or the statements of what it
/// makes. Packed: a program has as many rows as it needs.
struct Rows {
  std::size_t width = 0;
  std::vector<float> values = {};         // row after row
  std::vector<std::size_t> starts = {0};  // the first row of each program, and the end of the last
  std::vector<float> estimates = {};      // of each program, the prior's; none where not known
  std::vector<std::int64_t> heads = {};   // of each, which head judges it; none: the first

  std::size_t size() const { return starts.size() - 1; }  // in programs
  std::size_t length(std::size_t program) const { return starts[program + 1] - starts[program]; }
  std::span<const float> of(std::size_t program) const {
    return std::span(values).subspan(starts[program] * width, length(program) * width);
  }
  /// Adds programs of the same width.
  void append(const Rows& more) {
    const std::size_t before = starts.back();
    values.insert(values.end(), more.values.begin(), more.values.end());
    for (std::size_t n = 1; n < more.starts.size(); ++n) starts.push_back(before + more.starts[n]);
    estimates.insert(estimates.end(), more.estimates.begin(), more.estimates.end());
    heads.insert(heads.end(), more.heads.begin(), more.heads.end());
  }
};

/// Rows that are alike, once.
struct DistinctRows {
  std::vector<std::size_t> rows;  // numbers in `Rows`
  std::vector<std::size_t> of;    // of each row that was asked for, which of these it is like
};
DistinctRows distinct_rows(const Rows& programs, std::span<const std::size_t> rows);

}  // namespace tessera
