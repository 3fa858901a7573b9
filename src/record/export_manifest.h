#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Goes up when an older program could not read what is written.
inline constexpr std::int64_t exchange_format = 1;

/// A file of records of one target.
struct Shard {
  std::string target;
  std::int64_t records = 0;
  std::string fingerprint = {};  // of the bytes of the file

  /// In the folder of the export: `records/x86-avx2-cores-2-1f6b0c2a.jsonl.zst`.
  std::string path() const;
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// What an export holds.
struct ExportManifest {
  std::string version;  // of the program that wrote it
  std::int64_t tasks = 0;
  std::string tasks_fingerprint = {};  // of the bytes of tasks.jsonl
  std::vector<Shard> shards = {};
  friend bool operator==(const ExportManifest&, const ExportManifest&) = default;
};

std::string to_json(const ExportManifest& manifest);
Result<ExportManifest> parse_export_manifest(std::string_view json);

}  // namespace tessera
