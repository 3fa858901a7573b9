#pragma once

#include "backend/backend.h"
#include "learn/corpus.h"
#include "measure/measurer.h"
#include "record/store.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tessera {

struct CollectOptions {
  std::size_t schedules = 200;  // of each task, or all that it has
  std::size_t further_schedules = 48;
  std::uint64_t seed = 1;
  MeasureOptions measure = {};
  std::string version = {};               // of the program, for records
  std::function<bool()> is_stopped = {};  // asked between rounds
};

/// Where collecting stands.
struct CollectProgress {
  std::size_t tasks = 0;
  std::size_t tasks_done = 0;
  std::int64_t known = 0;     // schedules that the store had
  std::int64_t measured = 0;  // in this run
  std::int64_t wanted = 0;    // of all tasks, as far as they have so many
  std::map<Outcome, std::int64_t> outcomes = {};
  double seconds = 0;

  double rate() const { return seconds > 0 ? static_cast<double>(measured) / seconds : 0; }
  double seconds_left() const {
    return rate() > 0 ? static_cast<double>(wanted - known - measured) / rate() : 0;
  }
};

/// Measures schedules of each task, slow, middling and fast ones: the default, some drawn at random
/// and some evolved towards the best, by turns. What the store has counts; so a run goes on where
/// another was ended.
Result<CollectProgress> collect(const std::vector<CorpusTask>& tasks, const Backend& backend,
                                RecordStore& store, const CollectOptions& options,
                                const std::function<void(const CollectProgress&)>& progress);

}  // namespace tessera
