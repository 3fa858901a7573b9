#include "measure/timings.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>

namespace tessera {

Timings::Timings(std::vector<double> milliseconds) : sorted_(std::move(milliseconds)) {
  check(!sorted_.empty(), "a run");
  std::ranges::sort(sorted_);
}

double Timings::quantile(double q) const {
  return sorted_[static_cast<std::size_t>(q * static_cast<double>(sorted_.size() - 1) + 0.5)];
}

double Timings::median_error() const {
  const double half = 0.98 / std::sqrt(static_cast<double>(sorted_.size()));
  return (quantile(std::min(1.0, 0.5 + half)) - quantile(std::max(0.0, 0.5 - half))) / 2;
}

}  // namespace tessera
