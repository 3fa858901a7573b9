#pragma once

#include "base/result.h"
#include "record/record.h"

#include <cstdint>
#include <string>

namespace tessera {

class Statement;

/// Columns of a row that `read_record` and `read_task` read, of the joined tables.
extern const char* const record_columns;
extern const char* const task_columns;

/// Takes the parameters that `bind` binds.
extern const char* const insert_record;

/// The rows of its task and target.
struct RecordKeys {
  std::int64_t task = 0;
  std::int64_t target = 0;
};
void bind(Statement& insert, const Record& record, const RecordKeys& keys);

/// Refuse a row that nobody could have added, with the field and the reason.
Result<Record> read_record(const Statement& row);
Result<TaskEntry> read_task(const Statement& row);
/// Also refuses a row whose columns that follow from others do not.
Result<void> check_record(const Statement& row);
/// The number of the row in its table.
std::string record_number(const Statement& row);

}  // namespace tessera
