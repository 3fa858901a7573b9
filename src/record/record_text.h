#pragma once

#include "base/result.h"
#include "record/record.h"

#include <string>
#include <string_view>

namespace tessera {

/// One object of JSON on one line, without the end of the line. Numbers read back exactly. Only of
/// what `verify` accepts.
std::string to_json_line(const Record& record);
std::string to_json_line(const TaskEntry& task);

/// Refuses what is not exactly such a line, and what `verify` refuses.
Result<Record> parse_record(std::string_view line);
Result<TaskEntry> parse_task_entry(std::string_view line);

}  // namespace tessera
