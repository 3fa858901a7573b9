#pragma once

#include "record/tuning_run.h"

#include <cstdint>

namespace tessera {

/// A finished run as that of a ResNet-50: 25 tasks and 3000 trials in five minutes. The same seed
/// gives the same run.
TuningRun sample_run(std::uint64_t seed);

/// One in the middle of tuning, with four tasks and round numbers.
TuningRun small_run();

}  // namespace tessera
