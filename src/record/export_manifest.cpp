#include "record/export_manifest.h"

#include "base/hash.h"
#include "record/json_fields.h"

namespace tessera {
namespace {

using Json = JsonFields::Json;

constexpr const char* format_name = "tessera records";

/// A name for a file: what is easy to read of the text, and some digits that tell texts apart.
std::string slug(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string name;
  for (const char c : text.substr(0, longest)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (is_plain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  if (!name.ends_with('-') && !name.empty()) name += '-';
  // The last digits: the first hardly depend on the last letters.
  return name + to_text(fingerprint(text)).substr(24);
}

/// The only path that a file of these may have: none leads out of the folder.
Result<Shard> read_shard(const Json& object) {
  JsonFields fields(object);
  Shard shard = {.target = fields.text("target"),
                 .records = fields.integer("records"),
                 .fingerprint = fields.text("fingerprint")};
  const std::string path = fields.text("path");
  if (const std::optional<Error> refusal = fields.refusal()) return *refusal;
  if (path != shard.path()) return Error{"path \"" + path + "\": expected " + shard.path()};
  return shard;
}

}  // namespace

std::string Shard::path() const { return "records/" + slug(target) + ".jsonl.zst"; }

std::string to_json(const ExportManifest& manifest) {
  Json shards = Json::array();
  std::int64_t records = 0;
  for (const Shard& shard : manifest.shards) {
    records += shard.records;
    shards.push_back({{"path", shard.path()},
                      {"target", shard.target},
                      {"records", shard.records},
                      {"fingerprint", shard.fingerprint}});
  }
  const Json document = {{"format", format_name},
                         {"format_version", exchange_format},
                         {"version", manifest.version},
                         {"tasks", manifest.tasks},
                         {"tasks_fingerprint", manifest.tasks_fingerprint},
                         {"records", records},
                         {"shards", shards}};
  return document.dump(2) + "\n";
}

Result<ExportManifest> parse_export_manifest(std::string_view json) {
  JsonFields fields(json);
  if (fields.text("format") != format_name) return Error{"not an export of records"};
  if (const std::int64_t format = fields.integer("format_version"); format > exchange_format)
    return Error{"written by a newer version (format " + std::to_string(format) +
                 ", this one knows " + std::to_string(exchange_format) + ")"};
  ExportManifest manifest = {.version = fields.text("version"),
                             .tasks = fields.integer("tasks"),
                             .tasks_fingerprint = fields.text("tasks_fingerprint")};
  std::int64_t left = fields.integer("records");
  for (const Json& object : fields.objects("shards")) {
    Result<Shard> shard = read_shard(object);
    if (!shard) return Error{"shards: " + shard.error().message};
    left -= shard->records;
    manifest.shards.push_back(*std::move(shard));
  }
  if (left != 0) fields.refuse("records: expected the sum of those of shards");
  if (const std::optional<Error> refusal = fields.refusal()) return *refusal;
  return manifest;
}

}  // namespace tessera
