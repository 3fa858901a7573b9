#pragma once

#include "record/sqlite.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace tessera {

/// What tells a store from other files of SQLite: `Tess`.
inline constexpr std::int64_t store_application_id = 0x54657373;
/// Goes up with each change of the tables.
inline constexpr std::int64_t store_schema = 1;

/// A connection to a store of this schema; see `RecordStore::open`.
Result<std::unique_ptr<Database>> open_store_file(const std::string& path, Database::Absent absent,
                                                  std::chrono::milliseconds patience);

}  // namespace tessera
