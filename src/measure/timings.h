#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// What repeated runs took.
class Timings {
 public:
  /// In milliseconds, in any order; at least one.
  explicit Timings(std::vector<double> milliseconds);

  std::int64_t runs() const { return static_cast<std::int64_t>(sorted_.size()); }
  double min() const { return sorted_.front(); }
  double median() const { return quantile(0.5); }
  double p90() const { return quantile(0.9); }
  /// Half of the 95 % interval of the median, by the order statistics of a binomial.
  double median_error() const;
  /// Whether one run in ten takes a fifth more than the median.
  bool is_noisy() const { return p90() > 1.2 * median(); }

 private:
  double quantile(double q) const;

  std::vector<double> sorted_;
};

}  // namespace tessera
