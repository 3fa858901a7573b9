#include "search/task_search.h"

#include <algorithm>
#include <limits>

namespace tessera {

TaskSearch::TaskSearch(Task task) : space_(std::move(task)), untuned_(best_by_prior(space_)) {}

double TaskSearch::best_seconds() const {
  return ranked_.empty() ? std::numeric_limits<double>::infinity()
                         : ranked_.front().measurement.best();
}

void TaskSearch::add(Candidate candidate, Measurement measurement) {
  const bool is_new = measured_.insert(candidate.chain.choices).second;
  if (!measurement.is_ok()) return;
  const bool is_untuned = candidate.chain.choices == untuned_.choices;
  const double seconds = measurement.best();
  if (is_untuned) untuned_seconds_ = std::min(seconds, untuned_seconds_.value_or(seconds));
  if (!is_new) {
    const auto before = std::ranges::find(ranked_, candidate.chain.choices,
                                          [](const Known& known) { return known.chain.choices; });
    if (before != ranked_.end()) {
      if (before->measurement.best() <= seconds) return;
      ranked_.erase(before);
    }
  }
  const auto slower = std::ranges::upper_bound(
      ranked_, seconds, {}, [](const Known& known) { return known.measurement.best(); });
  ranked_.insert(slower,
                 {std::move(candidate.chain), std::move(candidate.origin), std::move(measurement)});
}

void TaskSearch::forget_timings() {
  ranked_.clear();
  untuned_seconds_.reset();
}

}  // namespace tessera
