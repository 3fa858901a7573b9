#pragma once

#include "backend/backend.h"
#include "measure/channel.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <span>

namespace tessera {

/// What a process that measures works with.
struct WorkerSetting {
  std::span<const Task> tasks;
  const Backend& backend;
  std::int64_t threads = 1;       // that a candidate runs on
  std::int64_t cores = 1;         // that there are to compile on
  std::int64_t memory_bytes = 0;  // it may take beyond what it has at the start; 0 for no limit
};

/// Answers requests until the other end closes: compiles the candidates of one on all cores, then
/// runs them one by one, so that a run has the machine to itself; with cores to spare it compiles
/// the next candidates while it runs one. A candidate that could become the best is compared with
/// what the task's plain loops give.
void serve_measuring(const Channel& channel, const WorkerSetting& setting);

}  // namespace tessera
