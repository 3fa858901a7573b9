#pragma once

#include "record/store.h"
#include "search/task_search.h"

#include <string>

namespace tessera {

/// How a task stands in a store. The family is its text with all numbers left out: tasks of one
/// family differ in their sizes only.
TaskEntry entry_of(const Task& task);

/// What the store knows of this very task: chains that still stand for the schedule they were
/// measured as are taken over. Gives how many records no longer do.
Result<std::int64_t> recall(TaskSearch& search, const RecordStore& store);

/// Chains of related tasks that did best there: the same computation on other targets first, then
/// the nearest sizes on this target, then on others. At most `count`.
Result<std::vector<Candidate>> seeds_for(const TaskSearch& search, const RecordStore& store,
                                         std::size_t count);

}  // namespace tessera
