#pragma once

#include "backend/backend.h"
#include "base/result.h"
#include "peak/cases.h"
#include "peak/report.h"
#include "target/target.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tessera::bench {

struct ContestOptions {
  Target target;
  std::vector<std::int64_t> threads = {1, 2};
  int trials = 200;
};

/// The rows of a case, one for each number of threads: the best schedule is searched for on one
/// thread, then all contenders run by turns, the machine's peak among them. Empty when the Space
/// has no such algorithm. Refuses results that differ from the reference's.
Result<std::vector<Row>> contest(const Case& c, const ContestOptions& options,
                                 const Backend& backend);

/// Seconds to make the code of `count` random schedules, drawn for the cases by turns; all of them
/// must have rows.
std::vector<double> compile_seconds(std::span<const Case> cases, int count, const Target& target,
                                    const Backend& backend);

}  // namespace tessera::bench
