#pragma once

#include "backend/backend.h"
#include "base/stopwatch.h"
#include "learn/knowledge_base.h"
#include "measure/measurer.h"
#include "record/store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct AdaptOptions {
  double budget_seconds = 600;
  Stopwatch since = {};                 // the budget began: finding the tasks counts, too
  std::size_t programs_per_task = 400;  // of the pool
  std::size_t programs_at_once = 16;    // of a task: few take as long to prepare
  std::size_t tasks_at_once = 24;       // between two looks at all that was measured
  MeasureOptions measure = {};
  std::string version = {};   // of the program, for records
  DistilOptions distil = {};  // also asked whether to stop
};

/// Refuses a budget in which a platform cannot be measured and learned at all.
Result<void> expect_time_to_adapt(double budget_seconds);

struct AdaptProgress {
  std::string_view doing = "";
  std::size_t tasks = 0;
  std::size_t programs = 0;  // of the pool
  std::size_t measured = 0;  // of them, in this run or before
  double seconds = 0;        // since the beginning
};

/// What came of it. One task in eight is not learned from: by the programs measured of those, top-1
/// before and after.
struct Adapted {
  KnowledgeBase base;
  double top1_before = 0;
  double top1_after = 0;
  std::size_t measured = 0;
};

/// Learns the platform of some tasks: `rdu` picks programs, which are measured for about two thirds
/// of the budget, always of the tasks that have had fewest; then `learn_platform`. What the store
/// has counts as measured, so a run goes on where another was ended. To be called while this
/// process has one thread. Refuses a budget that is too short, and is refused when stopped.
Result<Adapted> adapt(const KnowledgeBase& base, const std::vector<Task>& tasks,
                      const Backend& backend, RecordStore& store, const AdaptOptions& options,
                      const std::function<void(const AdaptProgress&)>& progress);

}  // namespace tessera
