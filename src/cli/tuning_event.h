#pragma once

#include "record/tuning_run.h"

#include <string>
#include <string_view>

namespace tessera {

/// What a run has come to, as JSON on one line, without its end. `start` has also what is tuned and
/// with which limits, `done` also all tasks and finalists. Times are null until they are known.
std::string event_json(std::string_view event, const TuningRun& run);

}  // namespace tessera
