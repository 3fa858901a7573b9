#pragma once

#include "record/tuning_run.h"

#include <string>

namespace tessera {

/// The estimate of one inference over time, beside that of the untuned network. Empty when nothing
/// has been measured.
std::string curve_chart(const TuningRun& run);

/// What each task takes of one inference, before and after: those that took most, the others as
/// one. Empty likewise.
std::string task_chart(const TuningRun& run);

/// A task's best times, round after round, from its untuned time on.
std::string sparkline(const TaskProgress& task);

/// How many of `total`, as a bar.
std::string share_bar(std::int64_t count, std::int64_t total);

}  // namespace tessera
