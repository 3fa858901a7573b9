#pragma once

#include "schedule/schedule.h"

#include <string>

namespace tessera {

/// The plain program of a computation after a schedule that must be legal.
Program scheduled(const Computation& computation, const Schedule& schedule);

/// The message with which a schedule is refused, or `accepted`.
std::string refusal(const Computation& computation, const Schedule& schedule);

/// Expects that a schedule is legal and computes the same as the computation.
void expect_same(const Computation& computation, const Schedule& schedule);

/// Expects that, and that the program's text is the golden of the running test.
void expect_golden_program(const Computation& computation, const Schedule& schedule);

/// Expects `message` of a schedule that is refused.
void expect_refusal(const Computation& computation, const Schedule& schedule,
                    const std::string& message);

}  // namespace tessera
