#pragma once

#include "backend/backend.h"
#include "base/result.h"
#include "extract/network.h"
#include "runtime/execution_plan.h"
#include "schedule/schedule.h"
#include "target/target.h"

#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// A network as code and constants, ready to be written as a package.
struct CompiledNetwork {
  ExecutionPlan plan;
  std::vector<std::string> objects;  // one per kernel
  struct Weights {
    std::int64_t offset = 0;
    HostBuffer data;
  };
  std::vector<Weights> weights;  // in rising order of offset
  /// The task and schedule of each kernel, in the order of `plan.kernels`.
  std::vector<Task> tasks;
  std::vector<Schedule> schedules;
};

struct CompileOptions {
  /// The schedule of a task; the analytic prior's choice unless given.
  std::function<Schedule(const Task&)> schedule_of = {};
  /// Called when a kernel has been made: how many there are now and will be.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// Gives one schedule after the other: tasks are asked for in the order of `tasks_of`.
std::function<Schedule(const Task&)> one_by_one(std::vector<Schedule> schedules);

/// Makes code for every distinct task of the network, lays its constants out as the code reads
/// them, and plans memory. Code for another machine is made as well; what must be computed now is
/// computed here.
Result<CompiledNetwork> compile_network(const Network& network, const Target& target,
                                        const Backend& backend, const CompileOptions& options = {});

}  // namespace tessera
