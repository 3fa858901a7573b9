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
  if (!is_new)
    std::erase_if(ranked_, [&](const Known& known) {
      return known.chain.choices == candidate.chain.choices;
    });
  if (!measurement.is_ok()) return;
  const double seconds = measurement.best();
  if (candidate.chain.choices == untuned_.choices) untuned_seconds_ = seconds;
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
