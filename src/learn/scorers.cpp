#include "learn/scorers.h"

#include "base/check.h"
#include "base/rng.h"
#include "learn/encoded.h"

namespace tessera {

Scorer prior_scorer() {
  return [](const ScheduleList& list) {
    std::vector<double> scores;
    for (const RelativeEstimate& estimate : list.estimates)
      scores.push_back(static_cast<double>(estimate.speed));
    return scores;
  };
}

Scorer random_scorer(std::uint64_t seed) {
  return [seed](const ScheduleList& list) {
    Rng rng(seed ^ fingerprint(list.name).low);
    std::vector<double> scores;
    for (std::size_t n = 0; n < list.schedules.size(); ++n) scores.push_back(rng.unit());
    return scores;
  };
}

Scorer trained_scorer(TrainedScores scores) {
  return [scores = std::move(scores)](const ScheduleList& list) {
    const Result<Rows> rows = encode(list, encoding_of(scores.kind), scores.threads);
    check(rows.has_value(), "a list of the data set, whose schedules apply");
    const std::vector<float> given = scores.score(*rows);
    return std::vector<double>(given.begin(), given.end());
  };
}

}  // namespace tessera
