#pragma once

#include "learn/metrics.h"
#include "model/trained_model.h"

#include <cstdint>

namespace tessera {

/// The estimate of the Space, from the choices that led to each schedule.
Scorer prior_scorer();
/// Scores drawn by lot, the same for the same seed and list.
Scorer random_scorer(std::uint64_t seed);
/// With encoding.
Scorer trained_scorer(TrainedScores scores);

}  // namespace tessera
