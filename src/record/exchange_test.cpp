#include "record/exchange.h"

#include "base/child.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/temporary_folder.h"
#include "record/compressed_lines.h"
#include "record/export_manifest.h"
#include "record/record_text.h"
#include "support/data_file.h"
#include "support/sample_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <unistd.h>

namespace tessera {
namespace {

/// A store with some records, and another that is empty.
class Exchange : public testing::Test {
 protected:
  Exchange()
      : store_(*RecordStore::open(folder_ / "store.db")),
        other_(*RecordStore::open(folder_ / "other.db")) {
    add(store_, records_);
  }

  static void add(RecordStore& store, const std::vector<Record>& records) {
    const Result<std::int64_t> added =
        store.add(std::vector{sample_task(1), sample_task(2)}, records);
    ASSERT_TRUE(added) << added.error().message;
  }
  static std::vector<std::string> lines_of(const RecordStore& store) {
    std::vector<std::string> lines;
    EXPECT_TRUE(store.visit({}, [&](const Record& record) {
      lines.push_back(to_json_line(record));
      return true;
    }));
    std::ranges::sort(lines);
    return lines;
  }
  ExportCounts export_all(const RecordStore& store) const {
    const Result<ExportCounts> written = export_records(store, export_, {}, "1.2.3");
    EXPECT_TRUE(written) << written.error().message;
    return written ? *written : ExportCounts();
  }
  std::map<std::string, std::string> exported() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(export_))
      if (entry.is_regular_file())
        files[std::filesystem::relative(entry.path(), export_)] = *read_file(entry.path());
    return files;
  }
  void expect_counts(const Result<ImportCounts>& got, std::int64_t added, std::int64_t known) {
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->added, added);
    EXPECT_EQ(got->known, known);
  }
  /// Importing is refused so, and changes nothing.
  void expect_refused(const std::string& message) {
    const Result<ImportCounts> got = import_records(other_, export_);
    ASSERT_FALSE(got) << message;
    EXPECT_EQ(got.error().message, message);
    EXPECT_EQ(lines_of(other_), std::vector<std::string>());
  }
  ExportManifest manifest() const {
    return *parse_export_manifest(*read_file(export_ + "/manifest.json"));
  }
  /// Writes these lines as the first shard, and a manifest to which they are right.
  void rewrite_first_shard(const std::vector<std::string>& lines, std::int64_t records) const {
    ExportManifest changed = manifest();
    Shard& shard = changed.shards[0];
    const std::string bytes = compress_lines(lines);
    shard.fingerprint = to_text(fingerprint(bytes));
    shard.records = records;
    ASSERT_TRUE(write_file(export_ + "/" + shard.path(), bytes));
    ASSERT_TRUE(write_file(export_ + "/manifest.json", to_json(changed)));
  }
  std::string first_shard() const { return export_ + "/" + manifest().shards[0].path(); }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::string export_ = folder_ / "deep/export";
  const std::vector<Record> records_ = {sample_record(1, 0.2), failed_record(1),
                                        sample_record(1, 0.1), sample_record(2, 0.3),
                                        sample_record(2, 0.4, "aarch64-neon cores=4")};
  RecordStore store_;
  RecordStore other_;
};

TEST_F(Exchange, CarriesRecordsAndTasksToAnotherStore) {
  const ExportCounts written = export_all(store_);
  EXPECT_EQ(written.tasks, 2);
  EXPECT_EQ(written.shards, 2);
  EXPECT_EQ(written.records, 5);
  expect_counts(import_records(other_, export_), 5, 0);
  EXPECT_EQ(lines_of(other_), lines_of(store_));
  EXPECT_EQ(*other_.task(sample_task(2).fingerprint), sample_task(2));
  expect_counts(import_records(other_, export_), 0, 5);
}

TEST_F(Exchange, IsReadWithoutAStore) {
  export_all(store_);
  const Result<Export> got = read_export(export_);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->tasks.at(sample_task(2).fingerprint), sample_task(2));
  EXPECT_EQ(got->records.size(), records_.size());
  for (const Record& record : records_)
    EXPECT_NE(std::ranges::find(got->records, record), got->records.end());
}

TEST_F(Exchange, WritesTheSameBytesWhateverTheOrder) {
  export_all(store_);
  const std::map<std::string, std::string> first = exported();
  add(other_, {records_.rbegin(), records_.rend()});
  export_all(other_);
  EXPECT_EQ(exported(), first);
  EXPECT_TRUE(first.contains("tasks.jsonl"));
  EXPECT_EQ(
      std::ranges::count_if(first,
                            [](const auto& file) {
                              return file.first.starts_with("records/aarch64-neon-cores-4-") &&
                                     file.first.ends_with(".jsonl.zst");
                            }),
      1);
}

TEST_F(Exchange, WritesWhatTheFilterLeaves) {
  const Result<ExportCounts> one =
      export_records(store_, export_, {.task = sample_task(1).fingerprint}, "1.2.3");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->records, 3);
  const Result<ExportCounts> two =
      export_records(store_, export_, {.target = "aarch64-neon cores=4"}, "1.2.3");
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->records, 1);
  EXPECT_EQ(exported().size(), 3) << "what is left of the first export goes";
  EXPECT_EQ(manifest().version, "1.2.3");
  expect_counts(import_records(other_, export_), 1, 0);
}

TEST_F(Exchange, RefusesAFolderThatIsNoExport) {
  EXPECT_EQ(import_records(other_, export_).error().message,
            export_ + "/manifest.json: No such file or directory");
  std::filesystem::create_directories(export_);
  const std::string path = export_ + "/manifest.json";
  ASSERT_TRUE(write_file(path, "{}"));
  expect_refused(path + ": not an export of records");
  EXPECT_EQ(export_records(store_, export_, {}, "").error().message,
            path + ": not an export of records");
  EXPECT_EQ(*read_file(path), "{}");
  const std::string blocked = folder_ / "store.db";
  EXPECT_EQ(export_records(store_, blocked, {}, "").error().message, blocked + ": Not a directory");
}

TEST_F(Exchange, RefusesDamagedFilesByName) {
  export_all(store_);
  const std::vector<std::string> paths = {export_ + "/tasks.jsonl", first_shard(),
                                          export_ + "/" + manifest().shards[1].path()};
  for (const std::string& path : paths) {
    const std::string bytes = *read_file(path);
    std::string changed = bytes;
    changed[bytes.size() / 2] ^= 1;
    ASSERT_TRUE(write_file(path, changed));
    expect_refused(path + ": damaged: not the bytes that the manifest tells of");
    std::filesystem::remove(path);
    expect_refused(path + ": No such file or directory");
    ASSERT_TRUE(write_file(path, bytes));
  }
  expect_counts(import_records(other_, export_), 5, 0);
}

TEST_F(Exchange, RefusesShardsThatHoldSomethingElse) {
  export_all(store_);
  const Shard shard = manifest().shards[0];
  Record record = sample_record(2, 0.5, shard.target);
  const std::string line = to_json_line(record);
  rewrite_first_shard({line, "x"}, 2);
  expect_refused(first_shard() + ": line 2: not JSON, or nested too deeply");
  rewrite_first_shard({line}, 2);
  expect_refused(first_shard() + ": has 1 records, expected 2");
  record.target = "another";
  rewrite_first_shard({line, to_json_line(record)}, 2);
  expect_refused(first_shard() + ": line 2: record of another target");
}

TEST_F(Exchange, RefusesTasksThatAreNotTold) {
  export_all(store_);
  ExportManifest changed = manifest();
  const auto rewrite_tasks = [&](const std::string& text) {
    changed.tasks_fingerprint = to_text(fingerprint(text));
    ASSERT_TRUE(write_file(export_ + "/tasks.jsonl", text));
    ASSERT_TRUE(write_file(export_ + "/manifest.json", to_json(changed)));
  };
  rewrite_tasks("");
  expect_refused(first_shard() + ": line 1: its task is not in tasks.jsonl");
  rewrite_tasks(to_json_line(sample_task(1)) + "\n{}\n");
  expect_refused(export_ + "/tasks.jsonl: line 2: no field \"fingerprint\"");
}

TEST_F(Exchange, IsNoExportWhenCutOff) {
  std::vector<Record> many;
  for (int n = 1; n <= 3000; ++n) many.push_back(sample_record(1, n));
  add(store_, many);
  for (const useconds_t moment : {500, 2000, 8000, 20000}) {
    Child child([&](int) {
      const Result<RecordStore> store = RecordStore::open_existing(store_.path());
      while (export_records(*store, export_, {}, "")) continue;
    });
    usleep(moment);
    child.kill();
    child.text();
    const Result<ImportCounts> got = import_records(other_, export_);
    if (got) {
      EXPECT_EQ(lines_of(other_), lines_of(store_));
    } else {
      EXPECT_EQ(got.error().message, export_ + "/manifest.json: No such file or directory");
    }
  }
  export_all(store_);
  EXPECT_TRUE(import_records(other_, export_));
}

TEST_F(Exchange, MergesStores) {
  add(other_, {records_[0], sample_record(2, 0.7)});
  expect_counts(merge_records(other_, store_.path()), 4, 1);
  expect_counts(merge_records(other_, store_.path()), 0, 5);
  expect_counts(merge_records(other_, other_.path()), 0, 6);
  EXPECT_EQ(lines_of(other_).size(), 6);
  EXPECT_EQ(merge_records(other_, "/no/such").error().message, "/no/such: no such store");
}

TEST_F(Exchange, MergesManyRecords) {
  std::vector<Record> many;
  for (int n = 1; n <= 2500; ++n) many.push_back(sample_record(1, n));
  add(store_, many);
  expect_counts(merge_records(other_, store_.path()), 2505, 0);
  EXPECT_EQ(lines_of(other_), lines_of(store_));
}

TEST_F(Exchange, TakesRecordsOfTvm) {
  const std::string path = data_path("tvm_records.json");
  expect_counts(import_tvm_records(other_, path), 3, 0);
  expect_counts(import_tvm_records(other_, path), 0, 3);
  EXPECT_EQ(other_.tasks("tvm")->size(), 2);
  EXPECT_EQ(import_tvm_records(other_, "/no/such").error().message,
            "/no/such: No such file or directory");
  const std::string bad = folder_ / "bad.json";
  ASSERT_TRUE(write_file(bad, *read_file(path) + "{}\n"));
  EXPECT_EQ(import_tvm_records(store_, bad).error().message,
            bad + ": line 4: not a record of auto_scheduler: expected JSON with \"i\" and \"r\"");
  EXPECT_EQ(store_.tasks("tvm")->size(), 0);
}

}  // namespace
}  // namespace tessera
