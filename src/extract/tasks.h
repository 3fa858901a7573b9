#pragma once

#include "extract/network.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <vector>

namespace tessera {

/// What a call is to compute, with the layouts that the network gave its values.
Task task_of(const Network& network, const Call& call, const Target& target);

/// A task of a network and the calls that share it.
struct NetworkTask {
  Task task;
  std::vector<std::size_t> calls;  // in rising order
};

/// The distinct tasks of a network, in the order of their first calls.
std::vector<NetworkTask> tasks_of(const Network& network, const Target& target);

}  // namespace tessera
