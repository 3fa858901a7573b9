#pragma once

#include "base/hash.h"
#include "base/result.h"
#include "schedule/step.h"
#include "target/target.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// An ordered list of steps, plain data. Text form: one step a line, its name and then its fields.
using Schedule = std::vector<Step>;

/// Applies one step and verifies the result.
Result<Program> apply(const Step& step, const Program& program);
/// Applies all steps in order; stops at the first refusal.
Result<Program> apply(const Schedule& schedule, const Program& program);

std::string to_text(const Step& step);
std::string to_text(const Schedule& schedule);
Result<Schedule> parse_schedule(std::string_view text);

/// What is to be computed and on what: the unit of tuning.
struct Task {
  Computation computation;
  Target target;
  /// Of operands and outputs that others write or read too; the rest is the schedule's to choose.
  std::map<TensorId, Layout> layouts = {};
};

/// Of the computation's text (its name aside), the target's text and the layouts.
Fingerprint fingerprint(const Task& task);

/// The computation and the settled layouts; the target has a text of its own.
std::string to_text(const Task& task);
Result<Task> parse_task(std::string_view text, const Target& target);

}  // namespace tessera
