#include "base/file.h"
#include "base/rng.h"
#include "base/temporary_folder.h"
#include "e2e/program.h"
#include "onnx/export.h"
#include "record/store.h"
#include "record/tuning_run.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>

namespace tessera {
namespace {

using namespace std::chrono_literals;

Graph small_network() {
  const std::vector<std::int64_t> ones{1, 1, 1, 1};
  return SmallGraph()
      .input("x", {1, 16, 14, 14})
      .weights("w", {32, 16, 3, 3})
      .weights("v", {16, 32, 1, 1})
      .node("Conv", {"x", "w"}, "a", {{"pads", ones}})
      .node("Relu", {"a"}, "b")
      .node("Conv", {"b", "v"}, "c")
      .node("Add", {"c", "x"}, "y")
      .output("y")
      .inferred();
}

/// A folder with a network, a store and what tuning makes.
class Tune : public testing::Test {
 protected:
  Tune() { EXPECT_TRUE(export_onnx_file(small_network(), file("net.onnx"))); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string verb(const std::string& options) const {
    return "tune " + file("net.onnx") + " -o " + file("net.tessera") + " --db " + file("store.db") +
           " " + options;
  }
  std::int64_t records() const {
    std::int64_t count = 0;
    const auto store = RecordStore::open(file("store.db"));
    EXPECT_TRUE(store) << store.error().message;
    EXPECT_TRUE(store->visit({}, [&](const Record&) { return ++count, true; }));
    EXPECT_TRUE(store->check());
    return count;
  }

  /// Until a tuner in the background has come so far.
  void wait_for_records() const {
    for (int n = 0; n < 600 && records() == 0; ++n) std::this_thread::sleep_for(100ms);
    ASSERT_GT(records(), 0);
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
};

/// The program in the background, its output away.
class Background {
 public:
  explicit Background(const std::string& arguments) : process_(fork()) {
    if (process_ != 0) return;
    setpgid(0, 0);
    const int away = open("/dev/null", O_WRONLY);
    dup2(away, 1);
    dup2(away, 2);
    const std::string command = "exec " TESSERA_PROGRAM " " + arguments;
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  ~Background() {
    if (process_ != 0) end(SIGKILL);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void signal(int number) const { kill(process_, number); }
  /// The exit code, or minus the signal.
  int wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int end(int number) {
    signal(number);
    return wait();
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

TEST_F(Tune, GivesAPackageAReportAndRecords) {
  printed(verb("--budget 20s --trials 40"));
  EXPECT_GE(records(), 40);
  printed("run " + file("net.tessera"));
  const Result<std::string> text = read_file(file("net.run.json"));
  ASSERT_TRUE(text) << text.error().message;
  const Result<TuningRun> run = parse_tuning_run(*text);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->phase, "done");
  ASSERT_FALSE(run->finalists.empty());
  EXPECT_EQ(run->finalists.front().name, "untuned");
  for (const Finalist& other : run->finalists) {
    const auto winner = std::ranges::find(run->finalists, run->winner, &Finalist::name);
    EXPECT_LE(winner->median_ms, other.median_ms) << "the fastest is packaged";
  }
  printed("report " + file("net.run.json") + " -o " + file("net.html"));
}

TEST_F(Tune, CanBeBuiltAgainFromRecords) {
  printed(verb("--budget 20s --trials 30"));
  printed("compile " + file("net.onnx") + " --frozen --db " + file("store.db") + " -o " +
          file("again.tessera"));
  EXPECT_EQ(*read_file(file("again.tessera")), *read_file(file("net.tessera")));
}

TEST_F(Tune, FrozenBuildsNeedRecords) {
  expect_refusal("compile " + file("net.onnx") + " --frozen --db " + file("none.db") + " -o " +
                     file("a.tessera"),
                 file("net.onnx") + ": " + file("none.db") + ": no such store");
  EXPECT_FALSE(std::filesystem::exists(file("a.tessera")));
}

TEST_F(Tune, GoesOnWithWhatTheStoreHas) {
  printed(verb("--budget 20s --trials 40"));
  const std::int64_t before = records();
  printed(verb("--budget 20s --trials 40"));
  const Result<TuningRun> run = parse_tuning_run(*read_file(file("net.run.json")));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_GT(run->known, 0);
  EXPECT_GT(records(), before);
}

TEST_F(Tune, AnInterruptEndsItWithAPackage) {
  Background tuner(verb("--budget 1h"));
  wait_for_records();
  EXPECT_EQ(tuner.end(SIGINT), 0);
  printed("run " + file("net.tessera"));
}

TEST_F(Tune, ASecondInterruptStopsItNow) {
  Background tuner(verb("--budget 1h"));
  wait_for_records();
  // Signals that come before the last one was taken are one; finishing takes longer than these.
  for (int n = 0; n < 25; ++n) {
    tuner.signal(SIGINT);
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(tuner.wait(), 130);
  EXPECT_FALSE(std::filesystem::exists(file("net.tessera")));
}

TEST_F(Tune, KilledAtAnyMomentLosesNothing) {
  Rng rng(1);
  std::int64_t known = 0;
  for (int n = 0; n < 25; ++n) {
    Background tuner(verb("--budget 1h --seed " + std::to_string(n)));
    std::this_thread::sleep_for(std::chrono::milliseconds(rng.between(10, 900)));
    EXPECT_EQ(tuner.end(SIGKILL), -SIGKILL);
    const std::int64_t now = records();
    EXPECT_GE(now, known);
    known = now;
    EXPECT_FALSE(std::filesystem::exists(file("net.tessera"))) << "half a package";
  }
  EXPECT_GT(known, 0);
  printed(verb("--budget 20s --trials 20"));
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    const auto stat = read_file((entry.path() / "stat").string());
    if (name.find_first_not_of("0123456789") != std::string::npos || !stat) continue;
    std::istringstream fields(stat->substr(stat->rfind(')') + 1));  // names may hold anything
    char state = 0;
    pid_t its_parent = 0;
    if (fields >> state >> its_parent && its_parent == parent) children.push_back(std::stoi(name));
  }
  return children;
}

/// The children of the process that forks them.
std::vector<pid_t> workers_of(pid_t tuner) {
  std::vector<pid_t> workers;
  for (const pid_t server : children_of(tuner))
    for (const pid_t worker : children_of(server)) workers.push_back(worker);
  return workers;
}

TEST_F(Tune, OutlivesWorkersThatAreKilled) {
  Background tuner(verb("--budget 1h"));
  wait_for_records();
  Rng rng(2);
  int kills = 0;
  for (int n = 0; n < 600 && kills <= 10; ++n) {  // a busy machine takes longer for a worker
    std::this_thread::sleep_for(std::chrono::milliseconds(rng.between(20, 200)));
    for (const pid_t worker : workers_of(tuner.process()))
      kills += kill(worker, SIGKILL) == 0 ? 1 : 0;
  }
  EXPECT_GT(kills, 10);
  EXPECT_EQ(tuner.end(SIGINT), 0);
  EXPECT_GT(records(), 0);
  printed("run " + file("net.tessera"));
}

TEST_F(Tune, TwoAtOnceShareAStore) {
  Background first(verb("--budget 20s --trials 60 --seed 1"));
  Background second("tune " + file("net.onnx") + " -o " + file("other.tessera") + " --db " +
                    file("store.db") + " --budget 20s --trials 60 --seed 2");
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  EXPECT_GE(records(), 120);
}

TEST_F(Tune, AFullDiskIsSaidAndLosesNothing) {
  const std::string disk = file("disk");
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0)
    GTEST_SKIP() << "no file system can be mounted here";
  const Ended ended = tessera_program("tune " + file("net.onnx") + " -o " + file("net.tessera") +
                                      " --db " + disk + "/store.db --budget 1h");
  EXPECT_EQ(ended.code, 2) << ended.text;
  EXPECT_NE(ended.text.find("store.db: "), std::string::npos) << ended.text;
  EXPECT_FALSE(std::filesystem::exists(file("net.tessera")));
  const auto store = RecordStore::open_existing(disk + "/store.db");
  EXPECT_TRUE(store && store->check());
  umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(Tune, RefusesWhatItCannotDo) {
  expect_refusal(verb("--budget 0"), "--budget: expected more than no time");
  expect_refusal(verb("--budget -1min"), "--budget: expected more than no time");
  expect_refusal(verb("--sampler guess"),
                 "sampler guess: not known, expected evolve, greedy or random");
  expect_refusal(
      "tune " + file("net.onnx") + " -o " + file("no/net.tessera") + " --db " + file("store.db"),
      file("no/net.tessera") + ": No such file or directory");
  expect_refusal(
      "tune " + file("net.onnx") + " -o " + file("net.tessera") + " --db " + file("net.onnx"),
      file("net.onnx") + ": not a store of Tessera");
  expect_refusal(verb("--target aarch64-neon"),
                 "target aarch64-neon: this machine cannot run its code");
}

}  // namespace
}  // namespace tessera
