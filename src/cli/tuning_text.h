#pragma once

#include "record/tuning_run.h"

#include <string>

namespace tessera {

/// A run as a terminal of that size shows it: at most `rows - 1` lines, each of at most `columns`
/// characters and ended by a newline. What happens now, what one inference took and takes, and the
/// tasks that take most of it.
std::string render(const TuningRun& run, int columns, int rows, bool colour);

/// The same on one line for logs, without its end.
std::string line_text(const TuningRun& run);

}  // namespace tessera
