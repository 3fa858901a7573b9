#pragma once

#include "base/result.h"
#include "extract/tasks.h"
#include "record/store.h"

#include <string>
#include <vector>

namespace tessera {

/// What a network is known by in a store: its calls' tasks, in order.
std::string network_key(const std::vector<NetworkTask>& tasks);

/// The schedules that won for a network, as records: what each took in its place there.
///
/// They are what a network is built from when nothing is to be searched or measured.
Result<void> record_plan(RecordStore& store, const std::vector<NetworkTask>& tasks,
                         const std::vector<Schedule>& schedules, const std::vector<double>& seconds,
                         const std::string& version);

/// A schedule for each task, from records alone: those that won for this network, else the fastest
/// of the task. Refuses when a task has none, or one that no longer applies.
Result<std::vector<Schedule>> recorded_schedules(const RecordStore& store,
                                                 const std::vector<NetworkTask>& tasks);

}  // namespace tessera
