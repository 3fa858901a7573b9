#include "record/export_manifest.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera {
namespace {

ExportManifest sample_manifest() {
  const std::string print(32, 'a');
  return {.version = "1.2.3",
          .tasks = 1,
          .tasks_fingerprint = print,
          .shards = {{"x86-avx2 cores=2 l1=32K", 7, print}, {"../../etc/passwd", 1, print}}};
}

TEST(ExportManifest, ReadsBack) {
  const ExportManifest manifest = sample_manifest();
  const Result<ExportManifest> got = parse_export_manifest(to_json(manifest));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, manifest);
}

TEST(ExportManifest, NamesShardsAfterTargets) {
  const std::string file = ".jsonl.zst";
  EXPECT_EQ(sample_manifest().shards[0].path(), "records/x86-avx2-cores-2-l1-32K-57dc5846" + file);
  EXPECT_EQ(sample_manifest().shards[1].path(), "records/..-..-etc-passwd-e67d1042" + file);
  EXPECT_EQ(Shard{.target = "µ µ"}.path(), "records/a24f6fd1.jsonl.zst");
}

TEST(ExportManifest, TellsTargetsApartWhoseNamesLookAlike) {
  std::set<std::string> paths;
  const std::vector<std::string> targets = {
      "a", "a ", "a+", "a-", "a=", "A", "", "+", "µ", std::string(70, 'x'), std::string(71, 'x')};
  for (const std::string& target : targets) paths.insert(Shard{.target = target}.path());
  EXPECT_EQ(paths.size(), targets.size());
}

TEST(ExportManifest, RefusesWhatItDoesNotKnow) {
  const auto expect_refused = [](const std::string& from, const std::string& to,
                                 const std::string& message) {
    std::string json = to_json(sample_manifest());
    ASSERT_NE(json.find(from), std::string::npos) << from;
    json.replace(json.find(from), from.size(), to);
    const Result<ExportManifest> got = parse_export_manifest(json);
    ASSERT_FALSE(got) << json;
    EXPECT_EQ(got.error().message, message);
  };
  const std::string path = sample_manifest().shards[0].path();
  expect_refused("{", "", "not an export of records");
  expect_refused("tessera records", "records", "not an export of records");
  expect_refused("\"format_version\": 1", "\"format_version\": 2",
                 "written by a newer version (format 2, this one knows 1)");
  expect_refused("\"version\"", "\"author\"", "no field \"version\"");
  expect_refused("\"records\": 8", "\"records\": 9",
                 "records: expected the sum of those of shards");
  expect_refused(path, "../../x", "shards: path \"../../x\": expected " + path);
  expect_refused("\"fingerprint\":", "\"print\":", "shards: no field \"fingerprint\"");
}

}  // namespace
}  // namespace tessera
