#pragma once

#include "base/result.h"
#include "record/record.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera {

/// One of the 14 transform steps of TVM's auto_scheduler (Ansor, OSDI 2020), by the tag that its
/// logs have: `SP` splits a loop, `RE` reorders loops, `CHW` caches what is written, ..
struct TvmStep {
  using Argument = std::variant<std::int64_t, std::vector<std::int64_t>, std::string>;

  std::string kind;
  std::int64_t stage = 0;
  std::vector<Argument> arguments = {};  // after the stage
  friend bool operator==(const TvmStep&, const TvmStep&) = default;
};

/// `SP 2 0 64 [4, 8] 1`; `PR 2 0 auto_unroll_max_step$512`.
std::string to_text(const TvmStep& step);
/// One step a line. Refuses an unknown kind and arguments that are not of its kind, with
/// `line N: ` before the reason.
Result<std::vector<TvmStep>> parse_tvm_steps(std::string_view text);

struct TvmRecords {
  std::vector<TaskEntry> tasks = {};  // each once, in the order of their first record
  std::vector<Record> records = {};
};

/// A log of auto_scheduler or TenSet, format v0.5 or v0.6, one object of JSON a line. Refusals have
/// `line N: ` before the reason. Of each record
///   task      is the fingerprint of the workload key, whose integers are the sizes
///   target    is the target's text and the list of hardware parameters
///   schedule  is the steps, one a line
///   seconds   are the repeats; a record with an error number has none, and its name as reason
Result<TvmRecords> parse_tvm_records(std::string_view text);

}  // namespace tessera
