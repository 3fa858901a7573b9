#pragma once

#include "extract/network.h"
#include "schedule/schedule.h"

namespace tessera {

/// What a call is to compute, with the layouts that the network gave its values.
Task task_of(const Network& network, const Call& call, const Target& target);

}  // namespace tessera
