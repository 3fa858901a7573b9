#pragma once

#include "base/result.h"
#include "ir/computation.h"
#include "ir/program.h"
#include "lower/lower.h"
#include "schedule/schedule.h"

#include <string>
#include <variant>

namespace tessera {

/// A schedule from a file; refusals of its steps say where they stand.
class ScheduleFile {
 public:
  static Result<ScheduleFile> read(const std::string& path);
  static Result<ScheduleFile> parse(std::string path, std::string text);

  const Schedule& schedule() const { return schedule_; }
  /// Refuses with `PATH:LINE: reason`.
  Result<Program> apply(const Program& program) const;

 private:
  std::string path_;
  std::string text_;
  Schedule schedule_;
};

/// What a user may name: a computation, or a later station read from a file.
using Subject = std::variant<Computation, ScheduleFile, Program, Lowered>;

/// Reads a task specification (see `parse_task_spec`) or, when there is no colon in `name` or a
/// file of that name, a file. The first word of a file tells its form; two lowered programs are one
/// with its `prepare`. Refuses a malformed file with `PATH:LINE: reason`.
Result<Subject> read_subject(const std::string& name);

}  // namespace tessera
