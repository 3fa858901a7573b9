#pragma once

#include "backend/backend.h"
#include "schedule/schedule.h"

#include <optional>
#include <string>

namespace tessera {

/// How a scheduled task differs from its computation: nothing when the interpreter agrees on the
/// scheduled and on the lowered program and, if `backend` is given, its kernel does too. Operands
/// come from `seed`.
std::optional<std::string> disagreement(const Task& task, const Schedule& schedule,
                                        const Backend* backend, std::uint64_t seed);

/// The schedule without the steps that a disagreement does not need.
Schedule minimised(const Task& task, Schedule schedule, const Backend* backend, std::uint64_t seed);

}  // namespace tessera
