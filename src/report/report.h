#pragma once

#include "record/tuning_run.h"

#include <string>

namespace tessera {

/// A page that shows a run, finished or not: the speed-up, how it came over time, tasks before and
/// after, their schedules, what failed, and where it was measured. It needs no other file, asks no
/// network for anything, and holds the run's JSON in the element `run`.
std::string html_report(const TuningRun& run);

}  // namespace tessera
