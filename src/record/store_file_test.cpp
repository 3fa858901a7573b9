#include "base/child.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "record/sqlite.h"
#include "record/store.h"
#include "support/sample_records.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <set>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {
namespace {

/// A folder in which there may be a store.
class StoreFile : public testing::Test {
 protected:
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      names.insert(entry.path().filename().string());
    return names;
  }
  void run(const std::string& sql) const {
    const auto database = Database::open(path_, Database::Absent::Make, std::chrono::seconds(1));
    const Result<void> done = (*database)->run(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  /// Both ways to open it refuse it, and leave all as it was.
  void expect_refused(const std::string& message) const {
    const std::set<std::string> names = files();
    const std::string bytes = *read_file(path_);
    EXPECT_EQ(RecordStore::open(path_).error().message, path_ + ": " + message);
    EXPECT_EQ(RecordStore::open_existing(path_).error().message, path_ + ": " + message);
    EXPECT_EQ(files(), names);
    EXPECT_EQ(*read_file(path_), bytes);
  }
  /// How many records there are.
  static std::int64_t count(const std::string& path) {
    const Result<RecordStore> store = RecordStore::open(path);
    const Result<void> sound = store ? store->check() : store.error();
    EXPECT_TRUE(sound) << sound.error().message;
    if (!sound) return -1;
    const Result<std::vector<RecordStore::Count>> counts = store->counts();
    if (!counts) return -1;
    std::int64_t count = 0;
    for (const RecordStore::Count& of : *counts)
      for (const auto& [outcome, number] : of.records) count += number;
    return count;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::string path_ = folder_ / "store.db";
};

TEST_F(StoreFile, IsRefusedWhenANewerVersionWroteIt) {
  ASSERT_TRUE(RecordStore::open(path_));
  run("PRAGMA user_version = 3");
  expect_refused("written by a newer version (schema 3, this one knows 1)");
}

TEST_F(StoreFile, IsRefusedWhenItIsSomethingElse) {
  run("CREATE TABLE words(word); INSERT INTO words VALUES('x')");
  expect_refused("not a store of Tessera");
  ASSERT_TRUE(write_file(path_, "a text\n"));
  expect_refused("not a store of Tessera");
  ASSERT_TRUE(write_file(path_, std::string(8192, 'x')));
  expect_refused("not a store of Tessera");
}

TEST_F(StoreFile, IsRefusedWhenItIsNoFile) {
  EXPECT_EQ(RecordStore::open("").error().message, "no path of a store given");
  EXPECT_EQ(RecordStore::open("/dev/null").error().message, "/dev/null: not a store of Tessera");
  EXPECT_EQ(RecordStore::open("/dev/null/store").error().message,
            "/dev/null/store: Not a directory");
  const std::string folder = folder_.path();
  EXPECT_EQ(RecordStore::open(folder).error().message, folder + ": Is a directory");
  const std::string name(300, 'x');
  EXPECT_EQ(RecordStore::open(folder + "/" + name).error().message,
            folder + "/" + name + ": File name too long");
}

TEST_F(StoreFile, IsMadeOnlyWhenAskedFor) {
  EXPECT_EQ(RecordStore::open_existing(path_).error().message, path_ + ": no such store");
  EXPECT_EQ(files(), std::set<std::string>());
  ASSERT_TRUE(write_file(path_, ""));
  EXPECT_EQ(RecordStore::open_existing(path_).error().message, path_ + ": not a store of Tessera");
  EXPECT_TRUE(RecordStore::open(path_));
  EXPECT_EQ(files(), std::set<std::string>{"store.db"});
}

TEST_F(StoreFile, MayHaveANameThatMeansSomethingToSqlite) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  for (const char* name : {":memory:", "file:x?mode=memory"}) {
    const Result<RecordStore> store = RecordStore::open(name);
    EXPECT_TRUE(store) << store.error().message;
  }
  std::filesystem::current_path(before);
  EXPECT_EQ(files(), (std::set<std::string>{":memory:", "file:x?mode=memory"}));
}

TEST_F(StoreFile, IsRefusedWhereThisUserMayNotWrite) {
  ASSERT_TRUE(RecordStore::open(path_));
  const std::string open = folder_ / "open.db";
  ASSERT_TRUE(RecordStore::open(open));
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  ASSERT_EQ(chmod(path_.c_str(), 0444), 0);
  ASSERT_EQ(chmod(open.c_str(), 0666), 0);
  const std::string other = folder_ / "other.db";
  const std::string deep = folder_ / "deep/store.db";
  const std::string messages = in_child([&]() -> std::string {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && setuid(nobody) != 0) return "cannot be nobody";
    std::string text;
    for (const std::string& path : {path_, open, other, deep})
      text += RecordStore::open(path).error().message + "\n";
    return text;
  });
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  const std::string denied = ": Permission denied\n";
  EXPECT_EQ(messages, path_ + denied + open + denied + other + denied + deep + denied);
  EXPECT_EQ(files(), (std::set<std::string>{"open.db", "store.db"}));
}

TEST_F(StoreFile, IsFoundDamagedWhenBytesWereChanged) {
  {
    Result<RecordStore> store = RecordStore::open(path_);
    std::vector<Record> records;
    for (int n = 1; n <= 500; ++n) records.push_back(sample_record(1, n));
    ASSERT_TRUE(store->add(std::vector{sample_task(1)}, records));
  }
  const std::string sound = *read_file(path_);
  std::string changed = sound;
  changed.replace(changed.size() / 2, 4096, std::string(4096, '\x5a'));
  for (const std::string& bytes : {changed, sound.substr(0, sound.size() / 2)}) {
    ASSERT_TRUE(write_file(path_, bytes));
    const Result<RecordStore> store = RecordStore::open(path_);
    const std::string message = store ? store->check().error().message : store.error().message;
    EXPECT_TRUE(message.starts_with(path_ + ": damaged: ")) << message;
  }
}

TEST_F(StoreFile, HoldsWhatWasCommittedWhenItsLogIsTorn) {
  Result<RecordStore> store = RecordStore::open(path_);
  constexpr int commits = 5;
  for (int n = 1; n <= commits; ++n)
    ASSERT_TRUE(store->add(std::vector{sample_task(1)}, std::vector{sample_record(1, n)}));
  const std::string file = *read_file(path_);
  const std::string log = *read_file(path_ + "-wal");
  const std::string copy = folder_ / "copy.db";
  for (const std::size_t cut :
       {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{4096}}) {
    ASSERT_TRUE(write_file(copy, file));
    ASSERT_TRUE(write_file(copy + "-wal", log.substr(0, log.size() - cut)));
    EXPECT_EQ(count(copy), cut == 0 ? commits : commits - 1) << cut;
    std::filesystem::remove(copy);
  }
}

TEST_F(StoreFile, IsMadeOnceByProcessesThatStartTogether) {
  constexpr int processes = 6;
  std::vector<std::unique_ptr<Child>> children;
  for (int n = 1; n <= processes; ++n)
    children.push_back(std::make_unique<Child>([&, n](int pipe) {
      Result<RecordStore> store = RecordStore::open(path_);
      const Result<std::int64_t> added =
          store ? store->add(std::vector{sample_task(1)}, std::vector{sample_record(1, n)})
                : store.error();
      (void)write_all(pipe, added ? "added" : added.error().message);
    }));
  for (const auto& child : children) EXPECT_EQ(child->text(), "added");
  EXPECT_EQ(count(path_), processes);
}

TEST_F(StoreFile, TakesTheRecordsOfTwoWritersAtOnce) {
  constexpr int each = 200;
  std::vector<std::unique_ptr<Child>> children;
  for (const int first : {1, 1 + each})
    children.push_back(std::make_unique<Child>([&, first](int pipe) {
      Result<RecordStore> store = RecordStore::open(path_);
      for (int n = first; n < first + each; ++n)
        if (const auto added = store->add(std::vector{sample_task(1), sample_task(2)},
                                          std::vector{sample_record(1, n), sample_record(2, 1)});
            !added)
          (void)write_all(pipe, added.error().message + "\n");
    }));
  for (const auto& child : children) EXPECT_EQ(child->text(), "");
  EXPECT_EQ(count(path_), 2 * each + 1);
}

TEST_F(StoreFile, HoldsWhatWasAddedWhenAProcessIsKilled) {
  std::int64_t taken = 0;
  for (int round = 0; round < 12; ++round) {
    Child child([&](int pipe) {
      Result<RecordStore> store = RecordStore::open(path_);
      for (std::int64_t n = taken + 1; true; ++n) {
        const Record record = sample_record(1, static_cast<double>(n));
        if (!store->add(std::vector{sample_task(1)}, {&record, 1})) return;
        (void)write_all(pipe, "+");
      }
    });
    usleep(static_cast<useconds_t>(1000 + round * round * 700));
    child.kill();
    const std::string text = child.text();
    ASSERT_EQ(text.find_first_not_of('+'), std::string::npos) << text;
    const auto told = std::ssize(text);
    const std::int64_t found = count(path_);
    EXPECT_GE(found, taken + told) << "round " << round;
    EXPECT_LE(found, taken + told + 1) << "round " << round;  // taken, and killed before it told
    taken = found;
  }
  EXPECT_GT(taken, 0);
}

/// What adding says in another process, which may not write files larger than `largest_bytes`.
std::string added_within(const std::string& path, rlim_t largest_bytes) {
  return in_child([&]() -> std::string {
    const rlimit limit = {largest_bytes, largest_bytes};
    std::signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return "no limit";
    Result<RecordStore> store = RecordStore::open(path);
    if (!store) return store.error().message;
    std::vector<Record> records;
    for (int n = 1; n <= 2000; ++n) records.push_back(sample_record(1, n));
    const Result<std::int64_t> added = store->add(std::vector{sample_task(1)}, records);
    return added ? "added" : added.error().message;
  });
}

TEST_F(StoreFile, KeepsItsRecordsWhenItMayNotGrow) {
  ASSERT_TRUE(RecordStore::open(path_)->add(std::vector{sample_task(1)},
                                            std::vector{sample_record(1, 0.5)}));
  EXPECT_EQ(added_within(path_, 128 << 10), path_ + ": File too large");
  EXPECT_EQ(count(path_), 1);
}

TEST_F(StoreFile, LeavesNothingWhenItCannotBeMade) {
  EXPECT_EQ(added_within(path_, 1 << 10), path_ + ": File too large");
  EXPECT_EQ(files(), std::set<std::string>());
}

TEST_F(StoreFile, KeepsItsRecordsWhenTheDiskIsFull) {
  const std::string disk = folder_ / "disk";
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=512k") != 0)
    GTEST_SKIP() << "may not mount a small disk here";
  const std::string path = disk + "/store.db";
  std::string refusal;
  {
    Result<RecordStore> store = RecordStore::open(path);
    ASSERT_TRUE(store->add(std::vector{sample_task(1)}, std::vector{sample_record(1, 0.5)}));
    std::vector<Record> records;
    for (int n = 1; n <= 4000; ++n) records.push_back(sample_record(1, n));
    const Result<std::int64_t> added = store->add({}, records);
    refusal = added ? "added" : added.error().message;
  }
  EXPECT_EQ(refusal, path + ": No space left on device");
  EXPECT_EQ(count(path), 1);
  umount2(disk.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace tessera
