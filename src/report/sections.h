#pragma once

#include "record/tuning_run.h"

#include <string>

namespace tessera {

/// Parts of the page, in its order. Each is markup that is whole by itself, or empty where a run
/// has nothing for it.
std::string title_section(const TuningRun& run);
std::string headline_section(const TuningRun& run);
std::string curve_section(const TuningRun& run);
std::string bars_section(const TuningRun& run);
std::string task_table_section(const TuningRun& run);
std::string finalists_section(const TuningRun& run);
std::string failures_section(const TuningRun& run);
std::string schedules_section(const TuningRun& run);
std::string environment_section(const TuningRun& run);

}  // namespace tessera
