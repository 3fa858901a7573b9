#include "base/file.h"
#include "base/temporary_folder.h"
#include "e2e/program.h"
#include "record/store.h"
#include "support/data_file.h"
#include "support/sample_records.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace tessera {
namespace {

/// A store with four records of two tasks on two targets.
class Db : public testing::Test {
 protected:
  Db() {
    const std::vector<Record> records = {sample_record(1, 0.002), failed_record(1),
                                         sample_record(1, 0.001),
                                         sample_record(2, 0.004, "aarch64-neon cores=4")};
    EXPECT_TRUE(
        RecordStore::open(path_)->add(std::vector{sample_task(1), sample_task(2)}, records));
  }

  std::string printed_of(const std::string& arguments) const {
    return printed("db " + arguments + " --db " + path_);
  }
  void expect_refused(const std::string& arguments, const std::string& message) const {
    expect_refusal("db " + arguments + " --db " + path_, message);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::string path_ = file("store.db");
  const std::string one_ = sample_task(1).fingerprint;
  const std::string two_ = sample_task(2).fingerprint;
};

TEST_F(Db, CountsWhatIsThere) {
  const std::string text = printed_of("stats");
  EXPECT_TRUE(text.starts_with("store      " + path_ + ", ")) << text;
  EXPECT_TRUE(
      text.ends_with("tasks      2\nrecords    4\n         3 ok\n         1 crashed\n"
                     "targets    2\n         1 aarch64-neon cores=4\n"
                     "         3 x86-avx2\n"))
      << text;
  const std::string json = printed_of("stats --json");
  EXPECT_NE(json.find("\"crashed\": 1"), std::string::npos) << json;
}

TEST_F(Db, ShowsATaskByTheBeginningOfItsFingerprint) {
  EXPECT_EQ(printed_of("show " + one_.substr(0, 8)),
            "task       " + one_ +
                "\nfamily     odd\nsizes      [1, 64, 3]\n           matmul 1\n"
                "records    3, 3 shown\n"
                "        ms  outcome        target    origin  choices\n"
                "    1.0000  ok             x86-avx2  random  tile=6x2 order=cols_outer\n"
                "    2.0000  ok             x86-avx2  random  tile=6x2 order=cols_outer\n"
                "         -  crashed        x86-avx2  random  tile=6x2 order=cols_outer  "
                "# signal 11\n");
  EXPECT_NE(printed_of("show " + one_ + " --limit 1").find("records    3, 1 shown\n"),
            std::string::npos);
  const std::string json = printed_of("show " + two_ + " --json");
  EXPECT_NE(json.find("\"best_seconds\": 0.004"), std::string::npos) << json;
  expect_refused("show x", "db show x: no such task in " + path_);
  expect_refused("show ''", "db show : 2 tasks start so, as " + one_.substr(0, 12) + " and " +
                                two_.substr(0, 12));
}

TEST_F(Db, ShowsTheBestOfEachTaskAndTarget) {
  const std::string head = "        ms  task          target                choices\n";
  const std::string first =
      "    1.0000  " + one_.substr(0, 12) + "  x86-avx2              tile=6x2 order=cols_outer\n";
  const std::string second =
      "    4.0000  " + two_.substr(0, 12) + "  aarch64-neon cores=4  tile=6x2 order=cols_outer\n";
  EXPECT_EQ(printed_of("best"), head + first + second);
  EXPECT_EQ(printed_of("best --target 'aarch64-neon cores=4'"), head + second);
  EXPECT_EQ(printed_of("best --schedule --task " + two_),
            head + second + "           split i [6]\n           vector j \"µ\"\n");
  EXPECT_TRUE(printed_of("best --json").starts_with("[\n  {\n    \"task\": \"" + one_));
  expect_refused("best --task x", "--task x: no such task in " + path_);
}

TEST_F(Db, ExportsToWhereOthersImportFrom) {
  EXPECT_EQ(printed_of("export " + file("out")),
            file("out") + ": 4 records of 2 tasks in 2 files\n");
  const std::string import = "db import " + file("out") + " --db " + file("new/other.db");
  EXPECT_EQ(printed(import), file("out") + ": 4 new records, 0 known\n");
  EXPECT_EQ(printed(import), file("out") + ": 0 new records, 4 known\n");
  EXPECT_EQ(printed_of("export " + file("out") + " --task " + two_),
            file("out") + ": 1 records of 1 tasks in 1 files\n");
  EXPECT_NE(printed_of("export --json " + file("out")).find("\"records\": 4"), std::string::npos);
  expect_refused("import /no/such", "/no/such: No such file or directory");
  expect_refused("import " + folder_.path().string(),
                 file("manifest.json") + ": No such file or directory");
  expect_refused("export " + path_, path_ + ": Not a directory");
}

TEST_F(Db, ImportsLogsOfTvm) {
  const std::string log = data_path("tvm_records.json");
  EXPECT_EQ(printed_of("import " + log), log + ": 3 new records, 0 known\n");
  const std::string json = printed_of("import --json " + log);
  EXPECT_NE(json.find("\"known\": 3"), std::string::npos) << json;
  ASSERT_TRUE(write_file(file("bad.json"), "{}"));
  expect_refused(
      "import " + file("bad.json"),
      file("bad.json") +
          ": line 1: not a record of auto_scheduler: expected JSON with \"i\" and \"r\"");
}

TEST_F(Db, MergesAnotherStore) {
  const std::string merge = "db merge " + path_ + " --db " + file("other.db");
  EXPECT_EQ(printed(merge), path_ + ": 4 new records, 0 known\n");
  EXPECT_EQ(printed(merge), path_ + ": 0 new records, 4 known\n");
  expect_refused("merge " + file("none.db"), file("none.db") + ": no such store");
}

TEST_F(Db, PrunesOnlyWhenToldHowManyStay) {
  EXPECT_EQ(printed_of("prune --keep 1 --task " + two_), path_ + ": 0 records removed\n");
  EXPECT_EQ(printed_of("prune --keep 1"), path_ + ": 2 records removed\n");
  EXPECT_NE(printed_of("prune --keep 1 --json").find("\"removed\": 0"), std::string::npos);
  expect_refused("prune", "--keep is required; see tessera --help");
}

TEST_F(Db, ChecksEverything) {
  EXPECT_EQ(printed_of("check"), path_ + ": 4 records, all sound\n");
  EXPECT_NE(printed_of("check --json").find("\"sound\": true"), std::string::npos);
  std::string bytes = *read_file(path_);
  bytes.resize(bytes.size() / 2);
  ASSERT_TRUE(write_file(path_, bytes));
  const Ended ended = tessera_program("db check --db " + path_);
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(ended.text.starts_with("tessera: " + path_ + ": damaged: ")) << ended.text;
}

TEST_F(Db, IsRefusedWhenThereIsNone) {
  const std::string none = file("none/store.db");
  for (const std::string verb : {"stats", "show x", "best", "check", "export x", "prune --keep 1"})
    expect_refusal("db " + verb + " --db " + none, none + ": no such store");
  EXPECT_FALSE(std::filesystem::exists(file("none")));
  expect_refusal("db",
                 "db: no verb given, expected stats, show, best, check, export, import, "
                 "merge or prune");
}

TEST_F(Db, LiesWhereDataOfTheUserLies) {
  const std::string data = file("data");
  const auto with_data = [&](const std::string& arguments) {
    return run_shell("XDG_DATA_HOME=" + data + " " TESSERA_PROGRAM " db " + arguments).text;
  };
  EXPECT_EQ(with_data("stats"), "tessera: " + data + "/tessera/store.db: no such store\n");
  EXPECT_EQ(with_data("merge " + path_), path_ + ": 4 new records, 0 known\n");
  EXPECT_EQ(with_data("check"), data + "/tessera/store.db: 4 records, all sound\n");
  EXPECT_EQ(run_shell("env -u HOME -u XDG_DATA_HOME " TESSERA_PROGRAM " db stats").text,
            "tessera: no path of a store given\n");
}

TEST_F(Db, StaysAsItWasWhenTheDiskIsFull) {
  printed_of("import " + data_path("tvm_records.json"));
  const Ended ended =
      run_shell("ulimit -f 8; " TESSERA_PROGRAM " db merge " + path_ + " --db " + file("other.db"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.text, "tessera: " + file("other.db") + ": File too large\n");
  EXPECT_EQ(printed_of("check"), path_ + ": 7 records, all sound\n");
}

TEST(DbVerbs, HelpWithAnExample) {
  for (const std::string verb :
       {"stats", "show", "best", "check", "export", "import", "merge", "prune"}) {
    const std::string text = printed("db " + verb + " --help");
    EXPECT_NE(text.find("Example: tessera db " + verb), std::string::npos) << text;
    for (const std::string option : {"--json", "--db"})
      EXPECT_NE(text.find(option), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tessera
