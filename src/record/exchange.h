#pragma once

#include "base/result.h"
#include "record/store.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera {

/// A folder of records for others to read, described in docs/records.md:
///
///     manifest.json                          what there is, with a fingerprint of each file
///     tasks.jsonl                            a TaskEntry a line
///     records/TARGET.jsonl.zst               the records of one target, one a line
///
/// Refusals name the file.

struct ExportCounts {
  std::int64_t tasks = 0;
  std::int64_t shards = 0;  // files of records
  std::int64_t records = 0;
};

/// The same records give the same bytes, whatever the order in which they were added. The manifest
/// is taken away first and written last, so that what was cut off is no export. `version` is that
/// of the program.
Result<ExportCounts> export_records(const RecordStore& store, const std::string& folder,
                                    const RecordStore::Filter& filter, const std::string& version);

/// What an export holds.
struct Export {
  std::map<std::string, TaskEntry> tasks;  // by their fingerprints
  std::vector<Record> records;             // target by target, task by task
  std::string fingerprint;                 // of the manifest, and so of all
};
Result<Export> read_export(const std::string& folder);

struct ImportCounts {
  std::int64_t added = 0;
  std::int64_t known = 0;  // records that the store had already
};

/// Adds what an export holds. Nothing is added when a file is not what the manifest says, and
/// nothing of a file that holds something else than records.
Result<ImportCounts> import_records(RecordStore& store, const std::string& folder);

/// Adds what another store holds.
Result<ImportCounts> merge_records(RecordStore& store, const std::string& other_path);

/// Adds a file of records of TVM's auto_scheduler: all or none.
Result<ImportCounts> import_tvm_records(RecordStore& store, const std::string& path);

}  // namespace tessera
