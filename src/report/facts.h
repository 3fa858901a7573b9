#pragma once

#include "record/tuning_run.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The name of the finalist that nothing was tuned for.
inline constexpr std::string_view untuned_name = "untuned";

/// One inference before tuning and now.
struct Change {
  double before_seconds = 0;
  double after_seconds = 0;

  double speedup() const { return before_seconds / after_seconds; }
};

/// Medians of whole networks: the untuned one and the winner. None until they are compared.
std::optional<Change> measured_change(const TuningRun& run);
/// The sums over tasks. None until each task has been measured.
std::optional<Change> estimated_change(const TuningRun& run);

/// Whether a time, a peak or a count of operations is one: not zero, as before it is known, nor so
/// small that nothing takes it.
bool is_known(double quantity);
/// How many tasks have been measured.
std::int64_t measured_tasks(const TuningRun& run);

/// Of the machine, by the best of a task. None where there are no operations, or no peak to compare
/// with.
std::optional<double> share_of_peak(const TuningRun& run, const TaskProgress& task);

/// Of one inference now. None until a task has been measured.
std::optional<double> share_of_network(const TuningRun& run, double seconds);

/// Candidates that could not be measured.
std::int64_t failures(const TuningRun& run);
/// `timed out` for `timed_out`.
std::string words_of(Outcome outcome);

/// By what they took of one inference before, most first.
std::vector<TaskProgress> by_untuned_time(std::vector<TaskProgress> tasks);
/// By what they take of it now.
std::vector<TaskProgress> by_best_time(std::vector<TaskProgress> tasks);

/// The untuned time, then the best after each round.
std::vector<double> times_of(const TaskProgress& task);

}  // namespace tessera
